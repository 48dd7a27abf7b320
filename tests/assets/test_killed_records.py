"""Commands that append, killed before every single change they make to files; two at once."""

import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from assets.artifacts import ARTIFACTS
from assets.commands.open_ import _opened
from assets.folder import StudyFolder
from assets.records import LEDGER, SIDES
from pipeline.errors import RankgateError
from pipeline.storage import write_json
from tests.assets.five_queries import Run, read_lines
from tests.assets.test_kills import (
    DYING,
    PATIENCE_SECONDS,
    killed_at_change,
    started,
    whole_run,
)
from tests.assets.test_runner import files_of

ROUND_FILE = "judgments/second.jsonl"
ROUND = Path("data/collections/five", ROUND_FILE)


def exhaustively_killed(root: Path, words: list[str], record: Path) -> None:
    """Kills a command at each of its changes: the record is the old one or the new one."""
    shutil.copytree(root, root.with_name("whole"))
    changes, _ = whole_run(root.with_name("whole"), words)
    old, new = ((one / record) for one in (root, root.with_name("whole")))
    before = old.read_bytes() if old.exists() else None
    after = new.read_bytes()
    assert before != after
    collection = files_of(root / "data/collections/five")
    for number in range(1, changes + 1):
        place = Path(shutil.copytree(root, root.with_name(f"killed{number}")))
        assert killed_at_change(place, words, number)
        left = (place / record).read_bytes() if (place / record).exists() else None
        assert left in (before, after)
        seen = files_of(place / "data/collections/five")
        assert seen.keys() <= {
            *collection,
            "judgments/second.jsonl",
        }  # DVC hashes all that lies here
        again = started(place, [*DYING, "0", *words])
        said = again.communicate(timeout=PATIENCE_SECONDS)[1]
        # Where the record was written already there is nothing new to import.
        assert again.returncode == (1 if left == after and record == ROUND else 0), said
        assert (place / record).read_bytes() == after
        assert not list((place / "data").rglob(".unfinished*"))


@pytest.mark.slow
def test_a_killed_import_of_judgments_is_all_or_nothing(study: Path, rankgate: Run) -> None:
    done = rankgate("judge", "export", "--assessor", "ann", study=study)
    assert done.exit_code == 0, done.output
    sheet = study / "data" / "worksheets" / "ann.csv"
    head, *rows = sheet.read_text("utf-8").splitlines()
    column = head.split(",").index("grade")
    filled = [
        ",".join([*row.split(",")[:column], "1", *row.split(",")[column + 1 :]]) for row in rows
    ]
    sheet.write_text("\n".join([head, *filled]) + "\n", "utf-8")
    words = ["judge", "import", "data/worksheets/ann.csv", "--round", "second"]
    exhaustively_killed(study, words, ROUND)


@pytest.mark.slow
def test_a_killed_assignment_is_all_or_nothing(study: Path) -> None:
    queries = study / "data/collections/five/queries.jsonl"
    with queries.open("a", encoding="utf-8") as file:
        file.write('{"query_id": "q6", "text": "pump q6", "split": "dev"}\n')
    exhaustively_killed(study, ["assign"], SIDES)


@pytest.mark.slow
def test_a_killed_import_of_a_collection_is_all_or_nothing(study: Path) -> None:
    words = ["import", "data/collections/five", "--format", "jsonl", "--name", "again"]
    words += ["--regime", "pooled", "--scale", "0", "3", "--rel", "1"]
    changes, _ = whole_run(study, words)
    imported = study / "data/collections/again"
    whole = files_of(imported)
    for number in range(1, changes + 1, max(1, changes // 8)):
        shutil.rmtree(imported, ignore_errors=True)
        assert killed_at_change(study, words, number)
        assert not imported.exists() or files_of(imported) == whole
    assert not git_sees(study, "data/collections/.again*")


def git_sees(root: Path, pattern: str) -> str:
    """What git would add of the files of that pattern."""
    told = ["git", "status", "--porcelain", "--untracked-files=all", pattern]
    return subprocess.run(told, cwd=root, capture_output=True, text=True, check=True).stdout


def test_of_many_openings_at_once_there_is_one_line(study: Path) -> None:
    folder = StudyFolder(study)
    selection = ARTIFACTS["selection"].read(folder, None)
    test_set, chosen = selection["hashes"]["test_set"], selection["hashes"]["selection"]
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda _: _opened(folder, selection, []), range(12)))
    assert numbers == [1] * 12
    (line,) = read_lines(study / LEDGER)
    assert (line["test_set"], line["selection"]) == (test_set, chosen)


def test_of_two_selections_at_once_one_is_opened_and_the_other_asked_for_again(study: Path) -> None:
    """Each was shown a test that nobody has opened; the second would be judged at another level."""
    folder = StudyFolder(study)
    selection = ARTIFACTS["selection"].read(folder, None)
    write_json(study / "data/selection/selection.json", other := renamed(selection, "b"))
    assert _opened(folder, other, []) == 1
    write_json(study / "data/selection/selection.json", selection)
    with pytest.raises(RankgateError, match="the ledger is no longer what was shown"):
        _opened(folder, selection, [])
    assert [line["selection"] for line in read_lines(study / LEDGER)] == ["b"]
    assert _opened(folder, selection, ["b"]) == 2


def renamed(selection: dict[str, Any], name: str) -> dict[str, Any]:
    """The same as another selection."""
    return {**selection, "hashes": {**selection["hashes"], "selection": name}}


def test_a_torn_ledger_stops_a_stage_with_its_line(study: Path, rankgate: Run) -> None:
    with (study / LEDGER).open("w", encoding="utf-8") as file:
        file.write('{"test_set": "abc", "sel')
    done = rankgate("run", "evaluation", study=study)
    assert done.exit_code == 1
    assert "ledger.jsonl:1: the last line is torn" in done.stderr
    assert "Next: delete line 1 of" in done.stderr
