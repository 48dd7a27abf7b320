"""Worksheets on their way back: checked whole, nothing half taken."""

import csv
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.errors import CollectionError, InputError, MissingError
from pipeline.tables import POOL
from pipeline.worksheets import (
    Imported,
    WorksheetRow,
    blind_rows,
    import_worksheet,
    write_worksheet,
)
from tests.rows import documents, queries, table

TEXTS = {"007": "=SUM(A1)\nsecond line", "d2": "text two", "d3": "x" * 40_000}
DOCUMENTS = documents(TEXTS)
QUERIES = queries({"q1": "valve, the red one"})
POOLED = table(POOL, [{"query_id": "q1", "evidence_id": e, "status": "unjudged"} for e in TEXTS])
ROWS = blind_rows(POOLED, documents=DOCUMENTS, queries=QUERIES, seed=7, assessor="ann")


def answered(**answers: dict[str, str]) -> list[WorksheetRow]:
    return [WorksheetRow(**(row.cells() | answers.get("e" + row.evidence_id, {}))) for row in ROWS]


def imported(path: Path, **options: Any) -> Imported:
    given = {
        "pool": POOLED,
        "documents": DOCUMENTS,
        "queries": QUERIES,
        "assessor": "ann",
        "scale": (0, 3),
    }
    return import_worksheet(path, **(given | options))


def edited(path: Path, column: str, value: str, *, row: int = 1) -> Path:
    table = list(csv.reader(path.read_text("utf-8-sig").splitlines(keepends=True)))
    table[row][table[0].index(column)] = value
    with path.open("w", encoding="utf-8-sig", newline="") as out:
        csv.writer(out).writerows(table)
    return path


@pytest.fixture(params=["jsonl", "csv"])
def sheet(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"ann.{request.param}"


@pytest.fixture
def graded_csv(tmp_path: Path) -> Path:
    path = tmp_path / "ann.csv"
    write_worksheet(path, answered(e007={"grade": "2"}))
    return path


def test_answers_come_back_as_lines_of_the_record(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2"}, ed2={"status": "unknown", "note": "?"}))
    result = imported(sheet)
    graded, unknown = sorted(result.lines, key=lambda line: line["evidence_id"])
    who = {"query_id": "q1", "assessor": "ann", "assessor_kind": "human"}
    assert graded == who | {"evidence_id": "007", "grade": 2}
    assert unknown == who | {"evidence_id": "d2", "status": "unknown", "note": "?"}
    assert result.summary == {
        "new": 2, "graded": 1, "unknown": 1, "abstained": 0, "blank": 1, "repeated": 0
    }  # fmt: skip


def test_a_spreadsheets_semicolons_line_ends_and_decimals_are_read(graded_csv: Path) -> None:
    table = list(csv.reader(graded_csv.read_text("utf-8-sig").splitlines(keepends=True)))
    table = [["2.0" if cell == "2" else cell for cell in row] for row in table]
    with graded_csv.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out, delimiter=";", lineterminator="\r\n").writerows(table)
    assert [line["grade"] for line in imported(graded_csv).lines] == [2]


def test_the_same_answer_twice_is_one(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2"}) * 2)
    result = imported(sheet)
    assert (len(result.lines), result.repeated) == (1, 1)


def test_importing_twice_adds_nothing(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2"}, ed2={"status": "abstained"}))
    first = imported(sheet)
    again = imported(sheet, existing=first.lines)
    assert (again.lines, again.repeated) == ((), 2)


def test_another_assessors_opinion_is_no_contradiction(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2"}))
    other = [{"query_id": "q1", "evidence_id": "007", "grade": 0, "assessor": "bob"}]
    assert len(imported(sheet, existing=other).lines) == 1


def test_rows_that_contradict_each_other_are_refused(sheet: Path) -> None:
    rows = [*answered(e007={"grade": "2"}), *answered(e007={"grade": "3"})]
    write_worksheet(sheet, rows)
    with pytest.raises(CollectionError, match=r"two opinions.*found 2 and 3"):
        imported(sheet)


def test_an_answer_that_contradicts_the_record_never_overwrites_it(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2"}))
    before = [{"query_id": "q1", "evidence_id": "007", "status": "unknown", "assessor": "ann"}]
    with pytest.raises(CollectionError, match=r"found unknown and 2.*a new round revises"):
        imported(sheet, existing=before)


@pytest.mark.parametrize("grade", ["4", "-1", "1.5", "high", "1e0"])
def test_a_grade_outside_the_scale_is_refused_with_file_and_line(
    graded_csv: Path, grade: str
) -> None:
    edited(graded_csv, "grade", grade)
    with pytest.raises(CollectionError, match=rf"ann\.csv:2: .*found {grade}; .* 0 to 3"):
        imported(graded_csv)


def test_a_pair_that_was_not_asked_about_is_refused(graded_csv: Path) -> None:
    edited(graded_csv, "evidence_id", "7")
    with pytest.raises(CollectionError, match="evidence 7: not a pair of the pool"):
        imported(graded_csv)


@pytest.mark.parametrize("column", ["query", "text"])
def test_moved_cells_or_changed_text_are_refused(graded_csv: Path, column: str) -> None:
    edited(graded_csv, column, "something else")
    with pytest.raises(CollectionError, match=f"the {column} is not the collection's"):
        imported(graded_csv)


def test_a_grade_and_a_status_at_once_are_refused(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "2", "status": "unknown"}))
    with pytest.raises(CollectionError, match="both a grade and a status"):
        imported(sheet)


def test_an_unknown_status_is_refused(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"status": "maybe"}))
    with pytest.raises(CollectionError, match="found maybe; expected unknown or abstained"):
        imported(sheet)


def test_every_problem_is_named_not_only_the_first(sheet: Path) -> None:
    write_worksheet(sheet, answered(e007={"grade": "9"}, ed2={"grade": "8"}, ed3={"grade": "2"}))
    with pytest.raises(CollectionError) as caught:
        imported(sheet)
    assert len(caught.value.problems) == 2


def test_missing_columns_are_named(tmp_path: Path) -> None:
    sheet = tmp_path / "ann.csv"
    sheet.write_text("query_id,grade\nq1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match="columns are missing: evidence_id"):
        imported(sheet)


def test_another_encoding_is_refused(tmp_path: Path) -> None:
    sheet = tmp_path / "ann.csv"
    sheet.write_bytes("query_id,evidence_id,grade\nq1,é,2\n".encode("latin-1"))
    with pytest.raises(InputError, match="not UTF-8"):
        imported(sheet)


def test_an_absent_worksheet_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="judge export"):
        imported(tmp_path / "ann.csv")


def test_a_collection_of_ids_only_can_be_judged(tmp_path: Path) -> None:
    docs, asked = documents({"d": None}), queries({"q": None})
    pool = pl.DataFrame({"query_id": ["q"], "evidence_id": ["d"], "status": ["unjudged"]})
    rows = blind_rows(pool, documents=docs, queries=asked, seed=7, assessor="ann")
    write_worksheet(tmp_path / "ann.jsonl", [WorksheetRow(**(rows[0].cells() | {"grade": "1"}))])
    result = imported(tmp_path / "ann.jsonl", pool=pool, documents=docs, queries=asked)
    assert len(result.lines) == 1
