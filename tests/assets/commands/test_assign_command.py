"""`rankgate assign`: new queries get a side, old ones keep theirs."""

import json
from pathlib import Path

from tests.assets.five_queries import Run, read_lines

SIDES = Path("data/sides.jsonl")


def add_query(study: Path, **fields: object) -> None:
    """One query more."""
    with (study / "data/collections/five/queries.jsonl").open("a") as file:
        file.write(json.dumps(fields) + "\n")


def test_nothing_new_changes_nothing(rankgate: Run, new_study: Path) -> None:
    before = (new_study / SIDES).read_bytes()
    done = rankgate("assign", study=new_study)
    assert done.exit_code == 0
    assert done.output == f"{new_study / SIDES}: 0 new queries\n"
    assert (new_study / SIDES).read_bytes() == before


def test_new_queries_are_appended_after_the_old_lines(rankgate: Run, new_study: Path) -> None:
    before = (new_study / SIDES).read_text()
    add_query(new_study, query_id="q6", text="pump", split="test")
    add_query(new_study, query_id="q7", text="seal", split="dev")
    done = rankgate("assign", study=new_study)
    assert done.exit_code == 0
    assert "2 new queries (1 dev, 1 test)" in done.output
    assert (new_study / SIDES).read_text().startswith(before)
    assert [line["query_id"] for line in read_lines(new_study / SIDES)][-2:] == ["q6", "q7"]


def test_a_query_tied_to_an_old_one_joins_its_side(rankgate: Run, new_study: Path) -> None:
    add_query(new_study, query_id="q6", text="pump q4")  # the text of q4
    rankgate("assign", study=new_study)
    sides = {line["query_id"]: line for line in read_lines(new_study / SIDES)}
    assert sides["q6"]["side"] == "test"
    assert sides["q6"]["group_id"] == sides["q4"]["group_id"]


def test_a_stage_refuses_queries_without_a_side_and_says_the_command(
    rankgate: Run, study: Path
) -> None:
    add_query(study, query_id="q6", text="pump", split="test")
    rankgate("run", "snapshot", study=study)
    done = rankgate("run", "splits", study=study)
    assert done.exit_code == 1
    assert "queries without a side" in done.stderr
    assert "Next: rankgate assign" in done.stderr


def test_a_broken_record_is_refused_and_kept(rankgate: Run, new_study: Path) -> None:
    (new_study / SIDES).write_text('{"query_id": "q1", "side": "left"}\n')
    done = rankgate("assign", study=new_study)
    assert done.exit_code == 1
    assert "sides.jsonl:1: not a side" in done.stderr
    assert (new_study / SIDES).read_text() == '{"query_id": "q1", "side": "left"}\n'
