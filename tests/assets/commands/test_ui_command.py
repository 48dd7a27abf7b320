"""`rankgate ui`: the report on localhost; the other pages are tried where they are made."""

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from dagster import AssetKey
from mlflow.tracking import MlflowClient

from assets.commands.ui_ import PAGES, serve
from assets.folder import StudyFolder
from assets.orchestration.instance import study_instance
from tests.assets.five_queries import Run, change_params

CHECKOUT = Path(__file__).parents[3]


def free_port() -> int:
    """A port that nothing listens on, and that no connection is given by the system meanwhile."""
    for port in random.SystemRandom().sample(range(20_000, 30_000), 100):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise OSError("no free port among a hundred")


def fetched(address: str, server: "subprocess.Popen[bytes]") -> bytes:
    """What the address serves, once it does: on a busy machine a server takes long to start."""
    for _ in range(6000):
        assert server.poll() is None
        try:
            with urllib.request.urlopen(address, timeout=5) as page:
                return bytes(page.read())
        except OSError:  # not there yet, or too busy to answer in time
            time.sleep(0.1)
    raise TimeoutError(address)


@pytest.fixture
def untold(tmp_path: Path, finished: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study whose pages were told nothing here, although DVC has told them; nothing is served."""
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.setattr("assets.commands.ui_.serve", lambda *_: None)
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    assert not (root / "mlruns" / "mlflow.db").exists()
    return root


@pytest.fixture
def ending_signals() -> Iterator[None]:
    """Puts the signals' handlers back."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    handlers = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, handlers, strict=True):
        signal.signal(number, handler)


def studies_in_mlflow(root: Path) -> list[str | None]:
    """The names of the runs that stand for a study."""
    client = MlflowClient(tracking_uri=f"sqlite:///{root.resolve() / 'mlruns/mlflow.db'}")
    experiments = [each.experiment_id for each in client.search_experiments()]
    found = client.search_runs(experiments, "tags.`rankgate.study` = 'five'")
    return [run.info.run_name for run in found]


@pytest.mark.slow
def test_mlflow_shows_a_clones_results_although_dvc_takes_them_for_told(untold: Path) -> None:
    PAGES["mlflow"](StudyFolder(untold), 0)
    assert studies_in_mlflow(untold) == ["five"]


def test_mlflow_is_not_told_of_stale_results(untold: Path) -> None:
    PAGES["mlflow"](change_params(untold, seed=8), 0)
    assert studies_in_mlflow(untold) == []


@pytest.mark.slow
def test_dagster_shows_a_clones_results_although_dvc_takes_them_for_told(untold: Path) -> None:
    PAGES["dagster"](StudyFolder(untold), 0)
    with study_instance(untold) as instance:
        assert instance.get_latest_materialization_event(AssetKey(["five", "decision"]))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_command_alone_ends_the_server_and_what_it_started(
    tmp_path: Path, ending_signals: None, number: signal.Signals
) -> None:
    told = tmp_path / "pid"
    # The server starts a child that would outlive it, then signals this process.
    server = f"sleep 60 & echo $! > {told}; sleep 0.2; kill -{number.value} {os.getpid()}; wait"
    with pytest.raises(KeyboardInterrupt):
        serve(["sh", "-c", server], tmp_path, dict(os.environ))
    child = int(told.read_text())
    for _ in range(6000):
        if not is_running(child):
            return
        time.sleep(0.05)
    pytest.fail("what the server started is still running")


def is_running(process: int) -> bool:
    """Whether it is there, and no zombie; it may go while it is looked at."""
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_very_instant_of_the_start_leaves_nothing_behind(
    tmp_path: Path,
    ending_signals: None,
    monkeypatch: pytest.MonkeyPatch,
    number: signal.Signals,
) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Interrupted(subprocess.Popen[bytes]):
        """The signal falls after the child is there and before anybody knows its id."""

        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            started.append(self)
            os.kill(os.getpid(), number)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        serve(["sleep", "60"], tmp_path, dict(os.environ))
    assert [server.returncode for server in started] == [-signal.SIGTERM]


def test_a_server_that_ends_by_itself_gives_its_exit_code(
    tmp_path: Path, ending_signals: None
) -> None:
    with pytest.raises(SystemExit) as ended:
        serve(["sh", "-c", "exit 7"], tmp_path, dict(os.environ))
    assert ended.value.code == 7


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
        page = fetched(f"http://127.0.0.1:{port}/", server)
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
