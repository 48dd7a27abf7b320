"""Stages and runs killed at random moments: outputs are whole or absent, and a rerun ends the same.

Two ways to die of SIGKILL: before the n-th change to the files, n drawn, and after a drawn share
of the time that the same command took before.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from dvc.schema import COMPILED_LOCKFILE_SCHEMA
from voluptuous import Invalid

from assets.folder import StudyFolder
from assets.lock import targets
from assets.processes import DVC, dvc, environment
from assets.runner import run_stage
from pipeline.errors import RankgateError
from tests.assets.five_queries import change_params
from tests.assets.test_runner import files_of

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
DYING = (sys.executable, "-m", "tests.assets.dying")
LEFT_OVER = re.compile(r"\.(unfinished|replaced|writing)\.")
BY_CHANGE, BY_TIME = 5, 1  # kills of each stage
PATIENCE_SECONDS = 600  # only so that a hang ends


def started(
    root: Path, command: Sequence[str], stdout: int = subprocess.DEVNULL
) -> "subprocess.Popen[str]":
    """A process in the study's folder, that and its children a group of their own."""
    return subprocess.Popen(
        command,
        cwd=root,
        env={**environment(), "PYTHONPATH": str(CHECKOUT)},
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def whole_run(root: Path, words: Sequence[str]) -> tuple[int, float]:
    """How many changes to files a command makes, and how many seconds it takes."""
    begun = time.perf_counter()
    process = started(root, [*DYING, "0", *words])
    said = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert process.returncode == 0, said
    return int(said.split()[-1]), time.perf_counter() - begun


def killed_at_change(root: Path, words: Sequence[str], number: int) -> bool:
    """Kills a command before that change; whether it died of it."""
    process = started(root, [*DYING, str(number), *words])
    process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode == -signal.SIGKILL


def killed_at_some_change(
    root: Path, words: Sequence[str], changes: int, drawn: random.Random
) -> int:
    """Kills a command before a drawn change: of so many, or of fewer where it makes no more."""
    number = drawn.randint(1, changes)
    while not killed_at_change(root, words, number):
        number = drawn.randint(1, number - 1)
    return 1


def killed_after(root: Path, command: Sequence[str], seconds: float) -> bool:
    """Kills a command after so many seconds; whether it died of it."""
    process = started(root, command)
    try:
        process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
    return process.returncode == -signal.SIGKILL


def kill_repro(root: Path, stages: int, seconds: float, *, alone: bool) -> str:
    """Kills a `dvc repro` so many seconds after it began its n-th stage.

    Alone, or with the stage and all else that it started. What DVC was just writing is deleted, as
    docs/sharing.md says.

    Returns:
        What it complained of where it ended before that; empty where it was killed.
    """
    process = started(root, [*DVC, "repro", "report"], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(stages):
        next((line for line in process.stdout if line.startswith("Running stage")), None)
    time.sleep(seconds)
    if alone:
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    # An orphan may hold the pipe for long: it is read only where DVC waited for its stage.
    ended = process.wait() != -signal.SIGKILL
    said = process.stderr.read() or f"exit code {process.returncode}" if ended else ""
    process.stdout.close()
    process.stderr.close()
    delete_torn(root)
    return said


def delete_torn(root: Path) -> None:
    """Deletes what is cut off so that DVC cannot read it, or empty so that it stumbles over it."""
    for path, is_whole in ((root / "dvc.lock", is_lock), (root / ".dvc/tmp/rwlock", is_json)):
        if path.exists() and not is_whole(path.read_bytes()):
            path.unlink()
    for entry in (root / ".dvc" / "cache" / "runs").glob("*/*"):
        if not any(entry.iterdir()):
            entry.rmdir()


def is_lock(content: bytes) -> bool:
    """Whether DVC takes it for its own: cut at the end of a line it may still be YAML."""
    try:
        COMPILED_LOCKFILE_SCHEMA(yaml.safe_load(content))
    except (yaml.YAMLError, Invalid):
        return False
    return True


def is_json(content: bytes) -> bool:
    """Whether it is JSON."""
    try:
        json.loads(content)
    except ValueError:
        return False
    return True


def outputs(root: Path) -> dict[str, bytes]:
    """Every file under data/, apart from what killed processes left for the next one to clear."""
    files = files_of(root / "data")
    return {name: content for name, content in files.items() if not LEFT_OVER.match(name)}


def lock_of(root: Path) -> dict[str, Any]:
    """What dvc.lock says of each stage; their order there is that in which DVC first ran them."""
    return dict(yaml.safe_load((root / "dvc.lock").read_bytes())["stages"])


def of_stage(files: dict[str, bytes], place: str) -> dict[str, bytes]:
    """The files of one stage's folder."""
    return {name: content for name, content in files.items() if name.startswith(f"{place}/")}


def test_a_stage_killed_anywhere_leaves_its_folder_whole_or_absent(
    tmp_path: Path, finished: Path
) -> None:
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    before, lock = outputs(root), (root / "dvc.lock").read_bytes()
    drawn, kills, absent = random.Random("kills"), 0, 0
    for key in targets(StudyFolder(root)):
        place = "/".join(key)
        words = ["run", key[0], *(["--branch", key[1]] if key[1:] else [])]
        changes, seconds = whole_run(root, words)
        for number in range(BY_CHANGE + BY_TIME):
            if drawn.random() < 0.5:  # as DVC does before it starts a stage
                shutil.rmtree(root / "data" / place, ignore_errors=True)
            if number < BY_CHANGE:
                kills += killed_at_some_change(root, words, changes, drawn)
            else:
                command = [sys.executable, "-m", "assets", *words]
                kills += killed_after(root, command, drawn.uniform(0, seconds))
            now = outputs(root)
            assert of_stage(now, place) in ({}, of_stage(before, place)), (place, number)
            assert {**now, **of_stage(before, place)} == before, (place, number)
            absent += not of_stage(now, place)
        run_stage(StudyFolder(root), *key)
        assert files_of(root / "data") == before  # nothing is left of all that
    assert kills >= 50, kills
    assert absent >= 5
    for key in list(targets(StudyFolder(root)))[::2]:
        shutil.rmtree(root / "data" / "/".join(key))
    dvc(root, "repro", "report")
    assert (root / "dvc.lock").read_bytes() == lock
    assert files_of(root / "data") == before


def test_a_killed_repro_is_made_good_by_the_next_one(tmp_path: Path, finished: Path) -> None:
    """DVC killed with its stage, or alone while the stage goes on; the next begins at once.

    Killed in the instant in which its stage replaces a folder, DVC leaves an orphan beside which
    the next may end in an error: it says so, and nothing is lost. The first one after the orphan
    has ended makes all of it good.
    """
    roots = [Path(shutil.copytree(finished, tmp_path / name / "five")) for name in "ab"]
    for root in roots:
        change_params(root, seed=8, question="not_worse", pool={"depth": 3})
    undisturbed, root = roots
    dvc(undisturbed, "repro", "report")
    drawn, killed = random.Random("killed repro"), 0
    for alone in (True, False, True, False, True):
        orphans = at_work(root)
        said = kill_repro(root, drawn.randint(1, 2), drawn.uniform(0, 1), alone=alone)
        killed += not said
        if said:
            assert orphans, said
            assert "ERROR: " in said
            assert "Traceback" not in said
    assert killed
    wait_for_orphans(root)
    dvc(root, "repro", "report")
    assert lock_of(root) == lock_of(undisturbed)
    assert outputs(root) == outputs(undisturbed)
    for left in (root / "data").glob(".unfinished.*"):  # a later run of that stage clears it
        assert left.name.removeprefix(".unfinished.").replace("@", "/") in {
            "/".join(key) for key in targets(StudyFolder(root))
        }
    assert "up to date" in dvc(root, "repro", "report")


def test_a_torn_lock_file_is_told_with_what_mends_it(study: Path) -> None:
    """Cut where DVC may have died; the value comes from the undisturbed file."""
    lock, before, locked = study / "dvc.lock", outputs(study), lock_of(study)
    whole = lock.read_bytes()
    for torn in (b"", whole[: whole.index(b"hash: md5") + 2]):
        lock.write_bytes(torn)
        with pytest.raises(RankgateError, match=r"dvc\.lock: .*killed.* or delete it .* dvc repro"):
            dvc(study, "repro", "report")
    lock.unlink()
    dvc(study, "repro", "report")
    assert {**locked, **lock_of(study)} == locked  # the study's also has the tracking
    assert outputs(study) == before


def wait_for_orphans(root: Path) -> None:
    """Waits until no process is left whose current folder is the study's."""
    until = time.monotonic() + PATIENCE_SECONDS
    while here := at_work(root):
        assert time.monotonic() < until, f"still at work: {here}"
        time.sleep(0.2)


def at_work(root: Path) -> list[Path]:
    """The processes whose current folder is the study's."""
    return [link for link in Path("/proc").glob("[0-9]*/cwd") if folder_of(link) == str(root)]


def folder_of(link: Path) -> str:
    """Where a process is, as far as it may be asked."""
    try:
        return str(link.readlink())
    except OSError:
        return ""
