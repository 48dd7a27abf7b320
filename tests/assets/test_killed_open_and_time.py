"""`rankgate open` and `rankgate time` killed before every single change they make to files."""

import shutil
import signal
import sys
from pathlib import Path

import pytest

from assets.processes import dvc
from assets.records import LEDGER, TIMES
from pipeline.storage import read_json
from tests.assets.five_queries import Run, change_params, read_lines, run_all
from tests.assets.test_kills import (
    DYING,
    PATIENCE_SECONDS,
    killed_at_change,
    started,
    whole_run,
)

pytestmark = pytest.mark.slow

WORDS = {f"words{k1}": {"kind": "bm25", "depth": 3, "k1": k1} for k1 in (1, 2)}
LATER = ("operations", "decision", "report", "tracking")  # they take long, and show nothing more
FEW = ("--calls", "1", "--loaded", "1", "--cold", "0")


def killed_everywhere(root: Path, words: list[str], record: Path) -> int:
    """Kills a command at each of its changes: the record is the old one or one with all its lines.

    Returns:
        After how many of the kills the record had the lines.
    """
    whole = Path(shutil.copytree(root, root.with_name("whole")))
    changes, _ = whole_run(whole, words)
    before, lines = (root / record).read_bytes(), len(read_lines(whole / record))
    assert changes >= 3
    assert lines > 0
    written = 0
    for number in range(1, changes + 1):
        place = Path(shutil.copytree(root, root.with_name(f"killed{number}")))
        assert killed_at_change(place, words, number)
        left = (place / record).read_bytes()
        assert left == before or len(read_lines(place / record)) == lines
        written += left != before
        again = started(place, [*DYING, "0", *words])
        said = again.communicate(timeout=PATIENCE_SECONDS)[1]
        assert again.returncode == 0, said
        now = (place / record).read_bytes()
        assert now.startswith(left.strip())
        assert len(read_lines(place / record)) == lines
        assert not list((place / "data").rglob(".unfinished*"))
    return written


def test_a_killed_opening_has_its_line_or_none(study: Path) -> None:
    dvc(study, "freeze", "selection", "evaluation", *LATER)
    assert killed_everywhere(study, ["open", "--yes"], LEDGER) == 0  # the line is its last change


# It dies as it calls DVC to run the rest.
OPENING = """
import os, signal
from assets.__main__ import cli
from assets.commands import open_
open_.reproduce = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
cli.main(["open", "--yes"], prog_name="rankgate")
"""


def test_an_opening_killed_before_the_rest_has_run_stays_open(study: Path, rankgate: Run) -> None:
    """The line is there, and the message names the command that brings the rest up to it."""
    dvc(study, "freeze", *LATER)
    process = started(study, [sys.executable, "-c", OPENING])
    said = process.communicate(timeout=PATIENCE_SECONDS)[1]
    assert process.returncode == -signal.SIGKILL, said
    opened = (study / LEDGER).read_bytes()
    assert len(read_lines(study / LEDGER)) == 1
    again = rankgate("open", "--yes", study=study)
    assert again.exit_code == 1
    assert "Next: dvc repro" in again.stderr
    dvc(study, "repro")
    assert "already open" in rankgate("open", "--yes", study=study).output
    assert (study / LEDGER).read_bytes() == opened
    assert read_json(study / "data/evaluation/summary.json")["sealed"] is False


def test_a_killed_measurement_of_times_has_all_its_lines_or_none(new_study: Path) -> None:
    change_params(new_study, candidates=None)
    run_all(change_params(new_study, candidates=WORDS))
    dvc(new_study, "commit", "--force")
    assert killed_everywhere(new_study, ["time", *FEW], TIMES) == 0
