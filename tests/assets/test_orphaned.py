"""A stage whose DVC was killed leaves its folder to the next one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from assets.orphaned import adopted
from assets.processes import environment
from pipeline.errors import RankgateError
from tests.assets.five_queries import change_params
from tests.assets.test_runner import files_of

CHECKOUT = Path(__file__).parents[2]
# A stage that is about to put its results in place, and goes on once it may; and its DVC.
STAGE = """
import sys, time
from pathlib import Path
from assets import runner
from assets.__main__ import main
write = runner.write_json
def slow(path, content):
    print("writing", flush=True)
    while not Path("go").exists():
        time.sleep(0.01)
    write(path, content)
runner.write_json = slow
sys.argv[1:] = ["run", "pool"]
main()
"""
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"


def left_alone(study: Path, **variables: str) -> str:
    """What a stage says whose parent was killed while it wrote its results."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, STAGE],
        cwd=study,
        env={**environment(), "PYTHONPATH": str(CHECKOUT), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == "writing\n"
    parent.kill()
    parent.wait()
    (study / "go").touch()
    return parent.communicate(timeout=600)[1]  # its end is the stage's


@pytest.mark.slow
def test_results_are_not_put_in_place_once_dvc_is_gone(study: Path) -> None:
    change_params(study, pool={"depth": 1})
    before = files_of(study / "data")
    said = left_alone(study, DVC_STAGE="pool")
    assert said == (
        "rankgate: run pool: the dvc that ran this stage has ended, so its results are left to "
        "the next one. Next: dvc repro\n"
    )
    assert files_of(study / "data") == before


@pytest.mark.slow
def test_a_stage_run_by_hand_may_outlive_its_terminal(study: Path) -> None:
    change_params(study, pool={"depth": 1})
    before = files_of(study / "data")
    assert left_alone(study).startswith("pool: ")
    assert files_of(study / "data") != before


def refused(monkeypatch: pytest.MonkeyPatch, parent: int, sessions: dict[int, int]) -> bool:
    """Whether a stage of DVC's is refused that had this parent from its first moment on."""
    monkeypatch.setenv("DVC_STAGE", "pool")
    monkeypatch.setattr(os, "getppid", lambda: parent)
    monkeypatch.setattr(os, "getsid", sessions.__getitem__)
    try:
        adopted()()
    except RankgateError:
        return True
    return False


def test_dvc_killed_before_the_stage_could_look_is_seen_by_the_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert refused(monkeypatch, 1, {0: 50, 1: 1})
    assert not refused(monkeypatch, 50, {0: 50})
    assert not refused(monkeypatch, 1, {0: 1, 1: 1})  # in a container DVC may be the first process
    assert not refused(monkeypatch, 1, {0: os.getpid(), 1: 1})  # it began a session of its own
