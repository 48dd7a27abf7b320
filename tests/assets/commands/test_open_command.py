"""`rankgate open`: a person's act, told before it is done, written once."""

import re
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest

from assets.commands import open_
from assets.folder import StudyFolder
from assets.processes import dvc
from pipeline.storage import read_json, write_json
from tests.assets.five_queries import Run, change_params, read_lines, run_all, write_lines

LEDGER = Path("data/ledger.jsonl")


def test_without_a_terminal_it_tells_and_does_not_open(rankgate: Run, study: Path) -> None:
    done = rankgate("open", study=study)
    assert done.exit_code == 1
    assert "Next: rankgate open --yes" in done.stderr
    told = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert set(told) == {"test", "selection", "earlier", "detectable", "judged"}
    assert "2 queries in 2 groups" in told["test"]
    assert told["earlier"].startswith("0 other selections")
    assert "judged at 0.05" in told["earlier"]
    assert (study / LEDGER).read_bytes() == b"\n"


def test_a_stale_selection_is_not_opened(rankgate: Run, study: Path) -> None:
    change_params(study, sweep={"rank_constants": [1]})
    done = rankgate("open", "--yes", study=study)
    assert done.exit_code == 1
    assert "Next: dvc repro" in done.stderr
    assert (study / LEDGER).read_bytes() == b"\n"


@pytest.mark.slow
def test_opening_writes_one_line_and_runs_the_rest(rankgate: Run, study: Path) -> None:
    done = rankgate("open", "--yes", study=study)
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].startswith("opened as selection 1 of this test set: ")
    running = [line for line in done.stderr.splitlines() if line.startswith("running ")]
    assert running[0] == "running selection …"
    assert {"running evaluation …", "running decision …", "running tracking …"} <= set(running)
    (line,) = read_lines(study / LEDGER)
    selection = read_json(study / "data" / "selection" / "selection.json")
    assert line["test_set"] == selection["hashes"]["test_set"]
    assert line["selection"] == selection["hashes"]["selection"]
    assert line["configuration"]["id"] == selection["configuration"]["id"]
    assert datetime.fromisoformat(line["opened_at"]).tzinfo is not None
    assert line["limits"]["decision.primary.margin"] == 0.0
    assert read_json(study / "data" / "decision" / "decision.json")["word"] != "sealed"
    again = rankgate("open", "--yes", study=study)
    assert again.exit_code == 0
    assert "already open: selection 1 of this test set" in again.output
    assert len(read_lines(study / LEDGER)) == 1


@pytest.mark.slow
def test_where_no_dev_query_is_judged_there_is_nothing_to_open(rankgate: Run, study: Path) -> None:
    (study / "data/collections/five/judgments/first.jsonl").write_text("")
    run_all(StudyFolder(study), last="evaluation")
    dvc(study, "commit", "--force")
    done = rankgate("open", "--yes", study=study)
    assert done.exit_code == 1
    assert "no dev query is judged" in done.stderr
    assert "Next: rankgate judge export" in done.stderr
    assert (study / LEDGER).read_bytes() == b"\n"


@pytest.fixture
def fresh(study: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study that counts as fresh, whatever is changed in it."""
    monkeypatch.setattr(open_, "refuse_stale", lambda *_, **__: None)
    return study


def test_a_broken_ledger_is_refused_with_its_line(rankgate: Run, fresh: Path) -> None:
    (fresh / LEDGER).write_text('{"test_set": "x"}\n')
    done = rankgate("open", "--yes", study=fresh)
    assert done.exit_code == 1
    assert "ledger.jsonl:1: not a test opening" in done.stderr


def test_figures_that_are_not_known_are_said_to_be(rankgate: Run, fresh: Path) -> None:
    path = fresh / "data" / "evaluation" / "summary.json"
    summary = read_json(path)
    write_json(path, summary | {"test": {"queries": 2, "groups": 2, "detectable": None}})
    done = rankgate("open", study=fresh)
    assert "detectable  not known" in done.stdout


def test_a_test_without_queries_is_not_opened(rankgate: Run, fresh: Path) -> None:
    path = fresh / "data" / "evaluation" / "summary.json"
    write_json(path, read_json(path) | {"test": {"queries": 0, "groups": 0, "detectable": None}})
    done = rankgate("open", "--yes", study=fresh)
    assert done.exit_code == 1
    assert "the test has no query" in done.stderr
    assert (fresh / LEDGER).read_bytes() == b"\n"


def other_selection(root: Path) -> None:
    path = root / "data/selection/selection.json"
    selection = read_json(path)
    write_json(path, selection | {"hashes": selection["hashes"] | {"selection": "another"}})


def other_opening(root: Path) -> None:
    test_set = read_json(root / "data/selection/selection.json")["hashes"]["test_set"]
    line = {"test_set": test_set, "selection": "another", "opened_at": "2026-01-01T00:00:00+00:00"}
    write_lines(root / LEDGER, [line | {"configuration": {"method": "rrf", "weights": {}}}])


def other_level(root: Path) -> None:
    change_params(root, evaluation={"alpha": 0.01})


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (other_selection, r"selection\.json: the selection"),
        (other_opening, r"ledger\.jsonl: the ledger"),
        (other_level, r"params\.yaml: a parameter"),
    ],
)
def test_what_changed_while_somebody_thought_is_not_opened(
    rankgate: Run,
    fresh: Path,
    monkeypatch: pytest.MonkeyPatch,
    edit: Callable[[Path], None],
    named: str,
) -> None:
    ledger = b""

    def thought_over() -> bool:
        nonlocal ledger
        edit(fresh)
        ledger = (fresh / LEDGER).read_bytes()
        return True

    monkeypatch.setattr(open_, "_confirmed", thought_over)
    done = rankgate("open", study=fresh)
    assert done.exit_code == 1
    assert re.search(rf"{named} is no longer what was shown", done.stderr), done.output
    assert len(done.stderr.splitlines()) == 1
    assert (fresh / LEDGER).read_bytes() == ledger


def test_a_selection_that_grew_stale_while_somebody_thought_is_not_opened(
    rankgate: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run is on its way to another selection and has not come to it yet."""

    def thought_over() -> bool:
        with (study / "data/collections/five/judgments/first.jsonl").open("a") as file:
            file.write('{"query_id": "q3", "evidence_id": "g", "grade": 2}\n')
        return True

    monkeypatch.setattr(open_, "_confirmed", thought_over)
    done = rankgate("open", study=study)
    assert done.exit_code == 1
    assert "stale: " in done.stderr
    assert (study / LEDGER).read_bytes() == b"\n"
