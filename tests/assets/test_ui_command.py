"""`rankgate ui`: the report on localhost; the other pages are tried where they are made."""

import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from urllib.error import URLError

import pytest

from tests.assets.five_queries import Run

CHECKOUT = Path(__file__).parents[2]


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def fetched(address: str) -> bytes:
    """What the address serves, once it does."""
    for _ in range(100):
        try:
            with urllib.request.urlopen(address, timeout=5) as page:
                return bytes(page.read())
        except URLError:
            time.sleep(0.1)
    raise TimeoutError(address)


@pytest.mark.slow
def test_the_report_is_served_on_localhost(study: Path) -> None:
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "-m", "assets", "--study", study, "ui", "report", "--port", str(port)],
        cwd=CHECKOUT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        page = fetched(f"http://127.0.0.1:{port}/")
    finally:
        server.kill()
        server.wait()
    assert page == (study / "data" / "report" / "index.html").read_bytes()


def test_without_a_report_it_says_what_to_run(rankgate: Run, founded: Path) -> None:
    done = rankgate("ui", "report", study=founded)
    assert done.exit_code == 1
    assert "no report yet. Next: dvc repro" in done.stderr


def test_an_unknown_page_is_a_usage_error(rankgate: Run, founded: Path) -> None:
    assert rankgate("ui", "grafana", study=founded).exit_code == 2


def test_a_port_that_is_taken_is_one_line(rankgate: Run, finished: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = rankgate("ui", "report", "--port", port, study=finished)
    assert done.exit_code == 1
    assert "Traceback" not in done.stderr
    assert "in use" in done.stderr
