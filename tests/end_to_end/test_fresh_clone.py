"""A fresh clone: one command gives the recorded bytes, a second one does nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

from assets.processes import environment

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def _run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command, cwd=folder, env=environment(), text=True, capture_output=True, check=False
    )


def _dvc(folder: Path, *arguments: str) -> str:
    done = _run(folder, sys.executable, "-m", "dvc", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The last commit, cloned, its study run."""
    if not (ROOT / ".git").exists():
        pytest.skip("this checkout has no git history to clone")
    folder = tmp_path_factory.mktemp("fresh") / "rankgate"
    done = _run(ROOT, "git", "clone", "--quiet", str(ROOT), str(folder))
    assert done.returncode == 0, done.stderr
    _dvc(folder, "repro")
    return folder


def test_the_outputs_are_the_recorded_ones_to_the_byte(clone: Path) -> None:
    done = _run(clone, "git", "diff", "--exit-code", "dvc.lock")
    assert done.returncode == 0, done.stdout


def test_nothing_is_left_for_git_to_see(clone: Path) -> None:
    assert _run(clone, "git", "status", "--porcelain").stdout == ""


def test_a_second_run_does_nothing(clone: Path) -> None:
    assert "Data and pipelines are up to date." in _dvc(clone, "repro")


def test_the_readme_shows_this_decision(clone: Path) -> None:
    done = _run(clone, sys.executable, "-m", "assets", "decide", "--fail-on", "")
    assert done.returncode == 0, done.stderr
    assert f"$ rankgate decide\n{done.stdout}" in README


def test_the_sample_keeps_its_one_opening(clone: Path) -> None:
    status = _run(clone, sys.executable, "-m", "assets", "status")
    assert "open" in status.stdout
    assert len((clone / "data" / "ledger.jsonl").read_text().splitlines()) == 1
