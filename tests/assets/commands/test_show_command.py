"""`rankgate show`: one query's list, with ranks that can be redone by hand."""

from pathlib import Path

import polars as pl
import pytest

from assets.folder import StudyFolder
from assets.ranked_list import ranked_list
from assets.runner import run_stage
from pipeline.storage import read_json, write_json
from tests.assets.five_queries import Run, change_params


def rows(folder: StudyFolder, query: str, system: str) -> list[tuple[object, ...]]:
    """rank, doc_id, rank in lexical, rank in semantic, grade."""
    listed = ranked_list(folder, query, system)
    assert listed.branches == ("lexical", "semantic")
    return [(r[0], r[1], r[4], r[5], r[6]) for r in listed.rows]


def test_equal_rrf_of_the_first_query_as_worked_by_hand(finished: Path) -> None:
    # b: 1/62 + 1/61; a: 1/61; d: 1/62; c: 1/63
    assert rows(StudyFolder(finished), "q1", "rrf_60") == [
        (1, "b", 2, 1, 3),
        (2, "a", 1, None, 0),
        (3, "d", None, 2, 1),
        (4, "c", 3, None, None),
    ]


def test_a_branch_alone_keeps_its_order(finished: Path) -> None:
    shown = rows(StudyFolder(finished), "q1", "lexical")
    assert [row[1] for row in shown] == ["a", "b", "c"]


def test_grades_of_test_queries_are_hidden_while_sealed(rankgate: Run, finished: Path) -> None:
    done = rankgate("show", "q4", study=finished)
    assert done.exit_code == 0
    assert "the test is sealed" in done.output
    assert all(row[4] is None for row in rows(StudyFolder(finished), "q4", "selected"))
    assert "the test is sealed" not in rankgate("show", "q1", study=finished).output


def test_once_opened_they_are_shown(study: Path) -> None:
    path = study / "data" / "evaluation" / "summary.json"
    write_json(path, read_json(path) | {"sealed": False, "opening": 1})
    grades = {row[1]: row[4] for row in rows(StudyFolder(study), "q4", "selected")}
    assert grades["a"] == 2
    assert grades["e"] == 0
    assert grades["c"] is None


def test_the_selected_system_is_one_though_every_list_is_empty(rankgate: Run, study: Path) -> None:
    path = study / "data" / "evaluation" / "runs.parquet"
    pl.read_parquet(path).clear().write_parquet(path)
    done = rankgate("show", "q1", study=study)
    assert done.exit_code == 0, done.stderr
    assert "an empty list" in done.output


def test_the_baseline_is_production_where_there_is_one(study: Path) -> None:
    folder = change_params(
        study, production="lexical", fusion={"branches": ["lexical", "semantic"]}
    )
    for stage in ("sweep", "selection", "evaluation"):
        run_stage(folder, stage)
    listed = ranked_list(folder, "q2", "selected")
    assert listed.columns[-1] == "in production"
    assert {row[1]: row[-1] for row in listed.rows} == {"e": 1, "f": 2}


def test_the_table_names_ids_and_no_text(rankgate: Run, finished: Path) -> None:
    shown = rankgate("show", "q1", "--system", "lexical", "--depth", "1", study=finished).output
    assert "pump" not in shown
    assert shown.splitlines()[-2].split()[:3] == ["1", "a", "a"]


def test_under_the_list_stands_how_it_was_measured(rankgate: Run, finished: Path) -> None:
    line = rankgate("show", "q1", study=finished).output.splitlines()[-1]
    assert line.startswith("How measured: order ")
    assert "fused by score, best rank, id ascending" in line
    assert "unjudged irrelevant" in line
    assert "queries in the means" in line or "left out of the means" in line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["q9"], "no such query; found q9; expected one of 5: q1, q2, q3 and 2 more"),
        (["q1", "--system", "magic"], "no such system; found magic; expected best_branch, "),
    ],
)
def test_a_stranger_is_refused_with_the_known_names(
    arguments: list[str], said: str, rankgate: Run, finished: Path
) -> None:
    done = rankgate("show", *arguments, study=finished)
    assert done.exit_code == 1
    assert said in done.stderr


def test_before_the_first_run_it_says_what_to_run(rankgate: Run, founded: Path) -> None:
    done = rankgate("show", "q1", study=founded)
    assert done.exit_code == 1
    assert "Next: dvc repro" in done.stderr


def test_a_systems_run_goes_out_as_other_tools_read_it(
    rankgate: Run, finished: Path, tmp_path: Path
) -> None:
    output = tmp_path / "rrf.run"
    done = rankgate("show", "--system", "rrf_60", "--run", output, study=finished)
    assert done.exit_code == 0, done.output
    lines = [line.split() for line in output.read_text().splitlines()]
    assert [line[2] for line in lines if line[0] == "q1"] == ["b", "a", "d", "c"]
    assert lines[0] == ["q1", "Q0", "b", "1", "1.0", "rrf_60"]
    assert rankgate("show", "q1", "--run", output, study=finished).exit_code == 2
    assert rankgate("show", study=finished).exit_code == 2
