"""Judgments in CSV and spreadsheets: columns and labels declared, ids as they are."""

import gzip
import sys
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from pipeline.collection import RatingForm, read_qrels, sheet_extent
from pipeline.collection.files import read_judgments
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Rated
from pipeline.errors import CollectionError, InputError, MissingError, ParameterError


def table(tmp_path: Path, text: str, name: str = "judged.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def book(tmp_path: Path, *sheets: list[list[Any]]) -> Path:
    """A workbook as another program writes it: texts shared, numbers as numbers."""
    path = tmp_path / "judged.xlsx"
    with xlsxwriter.Workbook(path) as written:
        for rows in sheets:
            sheet = written.add_worksheet()
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return path


def read(path: Path, queries: dict[str, str | None] | None = None, **form: Any) -> Rated:
    problems = Problems(path)
    judged = read_judgments(path, problems, form=RatingForm(**form), queries=queries)
    problems.raise_if_any()
    return judged


def test_usual_names_of_columns_are_known(tmp_path: Path) -> None:
    path = table(tmp_path, "Topic ID,Doc-ID,Rating,Title\n007,0012,1,a pump\n08,12,2,another\n")
    assert read_qrels(path).rows() == [("007", "0012", 1), ("08", "12", 2)]
    assert read(path).dropped == {"column 'Title'": 1}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_what_spreadsheets_of_the_world_write_reads_the_same(
    tmp_path: Path, separator: str, mark: str, end: str
) -> None:
    rows = [["qid", "doc_id", "grade"], ["q1", f'"a{separator} ""b"""', "2"], ["", "", ""]]
    text = mark + end.join(separator.join(row) for row in rows)
    assert read_qrels(table(tmp_path, text)).rows() == [("q1", f'a{separator} "b"', 2)]


def test_a_separator_may_be_said_in_the_first_line(tmp_path: Path) -> None:
    path = table(tmp_path, 'sep=;\r\nqid;doc_id;grade\r\nq1;"a;b";1\r\n')
    assert read_qrels(path).rows() == [("q1", "a;b", 1)]


@pytest.mark.parametrize(
    ("cell", "grade"), [("2", 2), ("2.0", 2), ('"2,0"', 2), (" 2 ", 2), ("-1", -1), ("+3", 3)]
)
def test_whole_grades_as_tables_write_them(tmp_path: Path, cell: str, grade: int) -> None:
    assert read_qrels(table(tmp_path, f"qid,doc_id,grade\nq1,a,{cell}\n")).rows() == [
        ("q1", "a", grade)
    ]


@pytest.mark.parametrize("cell", ["1.5", '"1,5"', "good", "1e1", "1_0", "١", "9" * 400, "NaN"])
def test_what_is_no_whole_grade_and_no_label_is_named_with_its_line(
    tmp_path: Path, cell: str
) -> None:
    with pytest.raises(CollectionError, match=r"judged\.csv:2: no grade in .*--grade"):
        read_qrels(table(tmp_path, f"qid,doc_id,grade\nq1,a,{cell}\n"))


def test_labels_are_mapped_and_may_say_that_nobody_knows(tmp_path: Path) -> None:
    path = table(tmp_path, "qid,doc_id,label\nq1,a,Exact\nq1,b,?\nq1,c,2\n")
    judged = read(path, labels={"Exact": 3, "?": "unknown"})
    said = [(row["evidence_id"], row.get("grade"), row["status"]) for row in judged.rows]
    assert said == [("a", 3, "judged"), ("b", None, "unknown"), ("c", 2, "judged")]


def test_declared_columns_go_before_usual_names(tmp_path: Path) -> None:
    path = table(tmp_path, "grade,qid,chunk,final\n9,q1,a,1\n")
    judged = read(path, columns={"evidence": ["chunk"], "grade": ["final"]})
    assert [(row["evidence_id"], row["grade"]) for row in judged.rows] == [("a", 1)]


def test_a_url_is_the_evidence_only_where_nothing_else_is(tmp_path: Path) -> None:
    alone = read(table(tmp_path, "qid,URL,grade\nq1,https://a.b/c,1\n"))
    assert [row["evidence_id"] for row in alone.rows] == ["https://a.b/c"]
    beside = read(table(tmp_path, "qid,url,doc_id,grade\nq1,https://a.b/c,a,1\n"))
    assert [row["evidence_id"] for row in beside.rows] == ["a"]
    declared = read(
        table(tmp_path, "qid,url,page,grade\nq1,u,a,1\n"), columns={"evidence": ["page"]}
    )
    assert [row["evidence_id"] for row in declared.rows] == ["a"]
    with pytest.raises(InputError, match="several columns that may be the evidence"):
        read(table(tmp_path, "qid,url,URL,grade\nq1,u,a,1\n"))


def test_a_column_for_each_assessor(tmp_path: Path) -> None:
    path = table(tmp_path, "qid,doc_id,Ann,Bob\nq1,a,1,\nq1,b,0,2\n")
    judged = read(path, columns={"grade": ["Ann", "Bob"]})
    said = [(row["evidence_id"], row["assessor"], row["grade"]) for row in judged.rows]
    assert said == [("a", "Ann", 1), ("b", "Ann", 0), ("b", "Bob", 2)]


def test_a_column_of_assessors_notes_and_statuses(tmp_path: Path) -> None:
    text = "qid,doc_id,grade,status,rater,comment\nq1,a,1,,ann,sure\nq1,a,,abstained,bob,\n"
    first, second = read(table(tmp_path, text)).rows
    assert (first["assessor"], first["note"], first["grade"]) == ("ann", "sure", 1)
    assert (second["assessor"], second["status"]) == ("bob", "abstained")


def test_rows_without_a_grade_are_counted_and_repeats_too(tmp_path: Path) -> None:
    text = "qid,doc_id,grade\nq1,a,1\nq1,b,\nq2\nq1,a,1\n"
    judged = read(table(tmp_path, text))
    assert len(judged.rows) == 1
    assert judged.dropped == {"rows without a grade": 2, "repeated judgments": 1}


def test_a_contradiction_is_refused_with_both_lines(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r":3: two grades.*2 on line 2, now 0"):
        read(table(tmp_path, "qid,doc_id,grade\nq1,a,2\nq1,a,0\n"))


def test_the_way_out_of_a_contradiction_is_none_that_was_taken_already(tmp_path: Path) -> None:
    lines = "q1,a,2,ann\nq1,a,0,{}\n"
    path = table(tmp_path, "qid,doc_id,grade,rater\n" + lines.format("ann"))
    with pytest.raises(CollectionError) as refused:
        read(path)
    assert "assessor ann: 2 on line 2, now 0" in str(refused.value)
    assert "Next: take one of the two lines out" in str(refused.value)
    assert "--columns" not in str(refused.value)
    unnamed = table(tmp_path, "qid,doc_id,grade,who\n" + lines.format("bob"))
    with pytest.raises(CollectionError, match="Next: --columns assessor=NAME"):
        read(unnamed)
    assert len(read(unnamed, columns={"assessor": ["who"]}).rows) == 2
    with pytest.raises(CollectionError, match="rankgate study and import keep both"):
        read_qrels(unnamed, form=RatingForm({"assessor": ["who"]}))


def test_cells_with_line_ends_are_numbered_by_their_first_line(tmp_path: Path) -> None:
    text = 'qid,doc_id,grade,note\nq1,a,1,"two\nlines"\nq1,b,x,\n'
    with pytest.raises(CollectionError, match=r"judged\.csv:4: no grade"):
        read(table(tmp_path, text))


QUERIES: dict[str, str | None] = {"q1": "stuck valve", "q2": "gear oil", "q3": "gear  oil"}


def test_queries_may_be_named_by_their_text(tmp_path: Path) -> None:
    path = table(tmp_path, "query,docid,rating\nstuck  valve ,a,1\n")
    assert read(path, QUERIES).rows[0]["query_id"] == "q1"


def test_a_column_of_queries_may_hold_their_ids(tmp_path: Path) -> None:
    path = table(tmp_path, "query,doc,grade\nq1,a,1\nq9,b,1\n")
    assert [row["query_id"] for row in read(path, QUERIES).rows] == ["q1", "q9"]
    answered = dict.fromkeys(["q1", "q2"])
    assert [row["query_id"] for row in read(path, answered).rows] == ["q1", "q9"]


def test_a_text_that_names_no_query_or_two_is_told_without_the_text(tmp_path: Path) -> None:
    path = table(tmp_path, "query,docid,rating\nstuck valve,a,1\nsecret words,b,1\ngear oil,c,1\n")
    with pytest.raises(CollectionError) as told:
        read(path, QUERIES)
    assert ":3: neither the id nor the text of a query; found a text of 12 characters" in str(
        told.value
    )
    assert ":4: the text of several queries; found q2, q3" in str(told.value)
    assert "secret" not in str(told.value)


def test_without_queries_ids_are_made_of_texts_and_do_not_tell_them(tmp_path: Path) -> None:
    path = table(tmp_path, "query,docid,rating\nstuck valve,a,1\nstuck  valve,b,0\ngear oil,c,1\n")
    judged = read(path)
    first, second, third = (row["query_id"] for row in judged.rows)
    assert first == second != third
    assert "valve" not in first
    assert judged.texts[third] == "gear oil"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no table"),
        ("qid,doc_id\nq1,a\n", "no column for grade.*--columns grade=NAME"),
        ("x,y\nq1,a\n", "no column for query, evidence, grade"),
        ("qid,doc_id,grade,rating\nq1,a,1,1\n", "several columns that may be the grade"),
        ("qid,doc_id,grade,grade\nq1,a,1,1\n", "columns of one name"),
        ('qid,doc_id,grade\nq1,"a" b,1\n', "not CSV"),
        ('qid,doc_id,grade\nq1,"a,1\nq2,b,1\nq3,c,1\n', r"judged\.csv:2: not CSV"),
        ("qid,doc_id,grade\nq1,a,1,2\n", "more cells than the header"),
        ("qid,doc_id,grade,status\nq1,a,1,unknown\n", "a status that cannot be"),
        ("qid,doc_id,grade,status\nq1,a,,maybe\n", "a status that cannot be"),
        ("qid,doc_id,grade\nq1,,1\n", "a rating without evidence"),
        ("qid,doc_id,grade\n,a,1\n", "a rating without a query"),
    ],
)
def test_tables_that_cannot_be_read(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(table(tmp_path, text))


def test_a_table_in_another_encoding_is_told_how_to_be_saved(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv"
    path.write_bytes("qid,doc_id,grade\nq1,é,1\n".encode("latin-1"))
    with pytest.raises(InputError, match="CSV UTF-8"):
        read(path)


def test_a_gzipped_table(tmp_path: Path) -> None:
    path = tmp_path / "judged.csv.gz"
    path.write_bytes(gzip.compress(b"qid,doc_id,grade\nq1,a,1\n"))
    assert read_qrels(path).rows() == [("q1", "a", 1)]


def test_a_workbook_reads_like_the_table(tmp_path: Path) -> None:
    path = book(tmp_path, [["qid", "doc_id", "grade"], ["007", "0012", 2], ["08", "b", 0.0]])
    assert read_qrels(path).rows() == [("007", "0012", 2), ("08", "b", 0)]


def test_a_number_cell_is_no_id_unless_that_is_said(tmp_path: Path) -> None:
    # A workbook that shows 007 may hold the number 7.
    path = book(tmp_path, [["qid", "doc_id", "grade"], [7, "a", 1]])
    with pytest.raises(CollectionError, match=r"judged\.xlsx:2: the id of query.*--number-ids"):
        read(path)
    assert read(path, number_ids=True).rows[0]["query_id"] == "7"
    half = book(tmp_path, [["qid", "doc_id", "grade"], [7.5, "a", 1]])
    with pytest.raises(CollectionError, match=r"found 7\.5"):
        read(half, number_ids=True)
    # The id was 12345678901234567; the cell cannot hold that, and what it holds is another id.
    long = book(tmp_path, [["qid", "doc_id", "grade"], [12345678901234567, "a", 1]])
    with pytest.raises(CollectionError, match="digits beyond 15"):
        read(long, number_ids=True)


def test_a_workbook_of_several_sheets_is_asked_which(tmp_path: Path) -> None:
    path = book(tmp_path, [["notes"]], [["qid", "doc_id", "grade"], ["q1", "a", 1]])
    with pytest.raises(InputError, match=r"several sheets; found Sheet1, Sheet2.*--sheet NAME"):
        read(path)
    assert len(read(path, sheet="Sheet2").rows) == 1
    with pytest.raises(InputError, match="no such sheet"):
        read(path, sheet="Sheet3")


def test_a_stray_cell_at_the_end_of_a_sheet_is_told_and_ends_no_process(tmp_path: Path) -> None:
    path = tmp_path / "judged.xlsx"
    with xlsxwriter.Workbook(path) as workbook:
        sheet = workbook.add_worksheet()
        sheet.write_row(0, 0, ["qid", "doc_id", "grade"])
        sheet.write(1_048_575, 16_383, "x")
    with pytest.raises(InputError, match=r"sheet1\.xml reaches to XFD1048576; expected at most"):
        read(path)


def test_a_long_sheet_of_few_columns_is_none_that_reaches_too_far(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path, [["qid", "doc_id", "grade"], ["q1", "a", 1]])
    monkeypatch.setattr(sheet_extent, "MOST_CELLS", 6)
    assert len(read(path).rows) == 1
    monkeypatch.setattr(sheet_extent, "MOST_CELLS", 5)
    with pytest.raises(InputError, match="reaches to C2"):
        read(path)


def test_truth_values_and_dates_are_no_grades_but_may_be_labels(tmp_path: Path) -> None:
    path = book(tmp_path, [["qid", "doc_id", "grade"], ["q1", "a", True], ["q1", "b", False]])
    with pytest.raises(CollectionError, match="found TRUE"):
        read(path)
    assert [row["grade"] for row in read(path, labels={"TRUE": 1, "FALSE": 0}).rows] == [1, 0]


def test_a_broken_workbook_is_told(tmp_path: Path) -> None:
    path = tmp_path / "judged.xlsx"
    path.write_bytes(b"PK\x03\x04 no workbook")
    with pytest.raises(InputError, match="not a spreadsheet that can be read"):
        read(path)
    with pytest.raises(MissingError, match="not there"):
        read(tmp_path / "absent.xlsx")


def test_without_the_reader_of_spreadsheets_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = book(tmp_path, [["qid", "doc_id", "grade"]])
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingError, match=r"rankgate\[spreadsheets\].*CSV UTF-8"):
        read(path)


def test_columns_of_what_is_no_table_are_refused(tmp_path: Path) -> None:
    path = table(tmp_path, "q1 0 a 1\n", "qrels.txt")
    with pytest.raises(ParameterError, match="are for tables"):
        read(path, columns={"grade": ["x"]})
    with pytest.raises(ParameterError, match="no such column; found x"):
        read(table(tmp_path, "qid,doc_id,grade\n"), columns={"grade": ["x"]})
