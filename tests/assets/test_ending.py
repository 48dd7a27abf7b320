"""SIGTERM ends a command and what it started, in one line, with nothing lost."""

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from assets.ending import hearing_interrupts
from assets.folder import StudyFolder
from assets.freshness import stale_stages
from assets.processes import dvc
from assets.records import LEDGER
from pipeline.storage import read_json
from tests.assets.five_queries import read_lines
from tests.assets.test_kills import PATIENCE_SECONDS, started

# A DVC that ends when it is interrupted, and says so; without that it goes on for a minute.
DVC = """
import pathlib, time
pathlib.Path("up").touch()
try:
    time.sleep(60)
except KeyboardInterrupt:
    pathlib.Path("ended").touch()
"""
STATUS = f"""
import sys
from assets import __main__, processes
processes.DVC = (sys.executable, "-c", {DVC!r})
sys.argv[1:] = ["status"]
__main__.main()
"""
# As a shell starts what a script has in its background.
DEAF = ("sh", "-c", 'trap "" INT; exec "$@"', "sh")


def terminated(process: "subprocess.Popen[str]", begun: Path) -> str:
    """Sends SIGTERM once a file is there; gives back standard error."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not begun.exists() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    return process.communicate(timeout=PATIENCE_SECONDS)[1]


@pytest.mark.parametrize("shell", [(), DEAF])
def test_what_a_command_started_ends_with_it(
    shell: Sequence[str], founded: Path, tmp_path: Path
) -> None:
    (tmp_path / "params.yaml").write_text((founded / "params.yaml").read_text())
    process = started(tmp_path, [*shell, sys.executable, "-c", STATUS])
    assert terminated(process, tmp_path / "up") == "rankgate: terminated\n"
    assert process.returncode == 143
    assert (tmp_path / "ended").exists()


def test_who_ignored_interrupts_goes_on_ignoring_them() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with hearing_interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.slow
def test_a_terminated_opening_stays_open_and_its_dvc_has_ended(study: Path) -> None:
    dvc(study, "freeze", "operations", "decision", "report", "tracking")
    process = started(study, [sys.executable, "-m", "assets", "open", "--yes"])
    said = terminated(process, study / "data" / ".unfinished.evaluation")
    assert process.returncode == 143, said
    assert said.splitlines()[-1] == "rankgate: terminated"
    assert not list((study / "data").rglob(".unfinished*"))
    assert len(read_lines(study / LEDGER)) == 1
    assert "evaluation" in stale_stages(StudyFolder(study))  # nobody holds DVC's lock, or ran on
    dvc(study, "repro")
    assert read_json(study / "data/evaluation/summary.json")["sealed"] is False
