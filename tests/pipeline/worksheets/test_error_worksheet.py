"""Worksheets for error analysis."""

import csv
from pathlib import Path

import polars as pl

from pipeline.tables import DIAGNOSIS
from pipeline.worksheets.errors import COLUMNS, error_rows, write_errors
from tests.rows import queries, table

HIDDEN = pl.DataFrame({"query_id": ["q1"], "evidence_id": ["secret"]})


def lost(evidence, **more):
    said = {"system": "selected", "against": "", "split": "dev", "lost_at": "candidates"}
    return {"query_id": "q1", "evidence_id": evidence, **said, **more}


def rows():
    found = table(DIAGNOSIS, [lost("secret"), lost("e", branch="dense", depth_needed=18)])
    return error_rows(found, queries({"q1": "=SUM(1)"}), HIDDEN)


def test_each_lost_evidence_has_its_stage_and_room_for_the_cause():
    first = rows().row(0, named=True)
    assert (first["evidence_id"], first["lost_at"], first["depth_needed"]) == (
        "e",
        "candidates",
        18,
    )
    assert (first["query"], first["cause"], first["note"]) == ("=SUM(1)", "", "")


def test_what_a_query_may_not_see_is_withheld():
    assert rows()["evidence_id"].to_list() == ["e", "withheld"]


def test_no_cell_is_a_formula(tmp_path: Path):
    write_errors(tmp_path / "errors.csv", rows())
    with (tmp_path / "errors.csv").open(newline="") as file:
        header, first, _ = csv.reader(file)
    assert tuple(header) == COLUMNS
    assert first[2] == "'=SUM(1)"
