"""What a killed DVC leaves: cleared by our next call of it where nothing is lost, else told."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assets import killed_dvc, processes
from assets.killed_dvc import EMPTY_ENTRY, clear
from assets.processes import dvc, environment, reproduce
from pipeline.errors import RankgateError
from tests.assets.five_queries import commit, git_repository

CHECKOUT = Path(__file__).parents[2]
TORN = "ERROR: Unable to read RWLock-file '.dvc/tmp/rwlock'. JSON structure is corrupted: Expecting"
STAGE = """\
stages:
  copy:
    cmd: mkdir out && cp in out/in
    params: [seed]
    deps: [in]
    outs: [out]
"""


def no_cache() -> Path:
    """Where DVC's cache is not asked for."""
    raise AssertionError


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """DVC's list of who reads and writes what, of a study in a folder of its repository."""
    path = tmp_path / ".dvc" / "tmp" / "rwlock"
    path.parent.mkdir(parents=True)
    (tmp_path / "study").mkdir()
    return path


@pytest.mark.parametrize("torn", ["", '{"write": {"data/spl'])
def test_a_torn_list_of_readers_and_writers_is_deleted(listed: Path, torn: str) -> None:
    listed.write_text(torn)
    said = TORN.replace(".dvc", "../.dvc")
    assert clear(listed.parents[2] / "study", said, no_cache)
    assert not listed.exists()
    assert clear(listed.parents[2] / "study", said, no_cache)  # another process was first


def test_a_list_that_a_living_dvc_is_writing_stays(
    listed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DVC empties it before it writes; without its entries a run of its own ends in an error."""
    with listed.open("w") as opened:

        def write(_: float) -> None:
            opened.write('{"read": {}}')
            opened.flush()

        monkeypatch.setattr(time, "sleep", write)  # while it is being waited for
        assert clear(listed.parents[2], TORN, no_cache)
    assert listed.read_text() == '{"read": {}}'


def test_a_list_that_another_dvc_made_meanwhile_stays(listed: Path) -> None:
    listed.write_text('{"write": {}}')
    assert clear(listed.parents[2], TORN, no_cache)
    assert listed.exists()


def test_an_empty_entry_of_the_run_cache_is_removed_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killed_dvc, "AT_WORK_SECONDS", 600)  # what is new stays new
    empty, full = tmp_path / "runs" / "ab" / "abc", tmp_path / "runs" / "cd" / "cde"
    empty.mkdir(parents=True)
    full.mkdir(parents=True)
    (full / "f00").write_text("cmd: x")
    new = tmp_path / "runs" / "ef" / "efa"
    new.mkdir(parents=True)  # a living DVC writes into it next
    os.utime(empty, (0, 0))
    said = f"ERROR: failed to reproduce 'splits': {EMPTY_ENTRY}"
    assert clear(tmp_path, said, lambda: tmp_path)
    assert not empty.exists()
    assert (full / "f00").exists()
    assert new.exists()
    os.utime(new, (0, 0))
    assert clear(tmp_path, said, lambda: tmp_path)
    assert not new.exists()
    assert not clear(tmp_path, said, lambda: tmp_path)  # no second time for the same words


def test_another_complaint_clears_nothing(listed: Path) -> None:
    listed.write_text("")
    assert not clear(listed.parents[2], "ERROR: no such file", no_cache)
    assert listed.exists()


def test_a_call_that_stumbled_is_made_again(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed.write_text("")

    def stumbling(command: list[str], *_: object) -> "subprocess.CompletedProcess[str]":
        code, said, complaint = (1, "", TORN) if listed.exists() else (0, "done", "")
        return subprocess.CompletedProcess(command, code, said, complaint)

    monkeypatch.setattr(processes, "_call", stumbling)
    assert dvc(listed.parents[2], "status") == "done"


def test_what_cannot_be_cleared_is_told(listed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stumbling(command: list[str], *_: object) -> "subprocess.CompletedProcess[str]":
        return subprocess.CompletedProcess(command, 1, "", TORN)

    monkeypatch.setattr(processes, "_call", stumbling)
    with pytest.raises(RankgateError, match="Unable to read RWLock-file"):
        dvc(listed.parents[2], "status")


@pytest.mark.slow
def test_dvc_killed_at_any_of_its_own_changes_is_made_good(tmp_path: Path) -> None:
    """Real DVC in a repository of one stage, killed at each change to its run cache, and more."""
    base = git_repository(tmp_path / "base")
    dvc(base, "init", "-q")
    for name, content in {"in": "1\n", "dvc.yaml": STAGE, "params.yaml": "seed: 1\n"}.items():
        (base / name).write_text(content)
    dvc(base, "repro")
    commit(base, "ran")
    (base / "params.yaml").write_text("seed: 2\n")
    undisturbed = Path(shutil.copytree(base, tmp_path / "undisturbed"))
    changes = died(undisturbed, 0)[1].splitlines()[:-1]
    trials = [(number, False) for number, change in enumerate(changes, 1) if "/runs/" in change]
    for place in ("/dvc.lock", "/rwlock"):
        written = [number for number, change in enumerate(changes, 1) if change.endswith(place)]
        trials.append((random.Random("killed dvc").choice(written), True))
    for number, cut in trials:
        root = Path(shutil.copytree(base, tmp_path / f"{number}-{cut}"))
        assert died(root, number, cut=cut)[0] == -9, (number, cut)
        try:
            reproduce(root)
        except RankgateError as problem:
            assert str(problem.where).endswith("dvc.lock"), problem  # noqa: PT017
            (root / "dvc.lock").unlink()
            reproduce(root)
        assert (root / "dvc.lock").read_bytes() == (undisturbed / "dvc.lock").read_bytes()
        assert (root / "out" / "in").read_text() == "1\n"


def died(root: Path, number: int, *, cut: bool = False) -> tuple[int, str]:
    """`dvc repro` that dies at a change: its exit code and what it said to standard error."""
    words = [str(number), *(["cut"] if cut else []), "dvc", "repro", "-q"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.assets.dying", *words],
        cwd=root,
        env={**environment(), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr
