"""Judgments in every form: strict, ids as texts, contradictions refused."""

from pathlib import Path

import pytest

from pipeline.collection import read_qrels
from pipeline.errors import CollectionError, ParameterError


def file(tmp_path: Path, text: str, name: str = "qrels.txt") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def test_ids_of_a_beir_table_keep_their_zeros(tmp_path: Path) -> None:
    path = file(tmp_path, "query-id\tcorpus-id\tscore\n007\t0012\t1\n08\t12\t2\n", "test.tsv")
    assert read_qrels(path).rows() == [("007", "0012", 1), ("08", "12", 2)]


def test_queries_of_all_kinds_of_names_sort_by_code_point(tmp_path: Path) -> None:
    path = file(tmp_path, "q7 0 d 1\n12 0 d 1\n-31 0 d 1\n")
    assert read_qrels(path)["query_id"].to_list() == ["-31", "12", "q7"]


def test_a_hash_inside_an_id_is_no_comment(tmp_path: Path) -> None:
    assert read_qrels(file(tmp_path, "# notes\nq1 0 book#12 1\n")).rows() == [("q1", "book#12", 1)]


def test_a_row_said_twice_counts_once(tmp_path: Path) -> None:
    assert read_qrels(file(tmp_path, "q1 0 a 2\nq1 0 a 2\n")).rows() == [("q1", "a", 2)]


def test_a_run_given_as_judgments_is_not_told_to_be_cut(tmp_path: Path) -> None:
    """Cut behind the fourth column its ranks would be grades."""
    with pytest.raises(CollectionError, match="name the judgments; these are") as told:
        read_qrels(file(tmp_path, "q1 Q0 a 1 12.5 tag\n"))
    assert "trailing" not in str(told.value)


def test_contradicting_rows_are_refused_unless_a_rule_is_stated(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 0 a 2\nq1 0 a 0\n")
    with pytest.raises(CollectionError, match="query q1 evidence a: 2 on line 1, now 0"):
        read_qrels(path)
    assert read_qrels(path, duplicates="max")["grade"].item() == 2
    assert read_qrels(path, duplicates="last")["grade"].item() == 0


@pytest.mark.parametrize("grade", ["1.0", "x", "", "1_0", str(2**70)])
def test_grades_that_are_no_whole_numbers_are_refused(tmp_path: Path, grade: str) -> None:
    with pytest.raises(CollectionError, match=":1:"):
        read_qrels(file(tmp_path, f"q1 0 a {grade}\n"))


def test_negative_grades_are_read_as_they_are(tmp_path: Path) -> None:
    assert read_qrels(file(tmp_path, "q1 0 a -2\n"))["grade"].item() == -2


def test_words_after_the_fourth_column(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 0 a 1 sure\n")
    with pytest.raises(CollectionError, match="found 5; expected 4 columns"):
        read_qrels(path)
    assert read_qrels(path, trailing="ignore").height == 1


def test_unknown_rules_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="reject or max or last"):
        read_qrels(file(tmp_path, "q1 0 a 1\n"), duplicates="mean")


@pytest.mark.parametrize("row", ["q1\ta", "q1\ta\tx", "\ta\t1", "q1\ta\t1\t2"])
def test_rows_of_a_beir_table_that_are_no_judgments(tmp_path: Path, row: str) -> None:
    with pytest.raises(CollectionError, match=r"test\.tsv:2"):
        read_qrels(file(tmp_path, f"query-id\tcorpus-id\tscore\n{row}\n", "test.tsv"))


def test_line_ends_change_nothing(tmp_path: Path) -> None:
    unix, dos = "q1 0 a 1\nq1 0 b 2\n", "q1 0 a 1\r\nq1 0 b 2\r\n"
    assert read_qrels(file(tmp_path, unix)).equals(read_qrels(file(tmp_path, dos, "dos.txt")))


def test_json_lines_leave_unknown_and_abstained_out(tmp_path: Path) -> None:
    lines = (
        '{"query_id": "q", "evidence_id": "a", "grade": 1}\n'
        '{"query_id": "q", "evidence_id": "b", "status": "unknown"}\n'
    )
    assert read_qrels(file(tmp_path, lines, "one.jsonl")).rows() == [("q", "a", 1)]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("trec_eval-tests/qrels.txt", 3681),
        ("trec_eval-tests/qrels_other/qrels.test.with-comments", 3681),
        ("trec-covid-r1-runs/qrels.txt", 8691),
        ("dl19-passage-runs/qrels.txt", 9260),
        ("scifact/qrels/test.tsv", 339),
        ("stackfaq/qrels/test.tsv", 7184),
    ],
)
def test_real_judgments_read_as_they_are(collections: Path, name: str, rows: int) -> None:
    assert read_qrels(collections / name).height == rows
