"""Identity is declared, never guessed from text; a digest is of content, not of bytes."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ContractError
from pipeline.identity import alike, attach, digest, digest_json, same_text
from tests.rows import documents

ROWS = st.lists(
    st.tuples(st.text(max_size=3), st.integers(-5, 5), st.none() | st.floats(-1, 1)),
    unique_by=lambda row: row[0],
)
SCHEMA = {"id": pl.String(), "grade": pl.Int64(), "score": pl.Float64()}


def frame(rows: list[tuple[str, int, float | None]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_documents_of_the_same_text_stay_different() -> None:
    twins = documents({"d1": "See appendix.", "d2": "See appendix."})
    listed = pl.DataFrame({"doc_id": ["d2", "d1"]})
    assert attach(listed, twins)["evidence_id"].to_list() == ["d2", "d1"]


def test_declared_evidence_makes_documents_one() -> None:
    twins = documents({"d1": "x", "d2": "x"}, evidence_id={"d1": "e", "d2": "e"})
    assert attach(pl.DataFrame({"doc_id": ["d1", "d2"]}), twins)["evidence_id"].unique().len() == 1


def test_an_id_of_another_namespace_is_refused() -> None:
    with pytest.raises(ContractError, match=r"dense.*found 12, vec:2"):
        attach(pl.DataFrame({"doc_id": ["vec:2", "12"]}), documents({"d": ""}), where="dense")


def test_duplicate_documents_multiply_no_rows() -> None:
    doubled = pl.concat([documents({"a": ""})] * 2)
    with pytest.raises(pl.exceptions.ComputeError, match="m:1"):
        attach(pl.DataFrame({"doc_id": ["a"]}), doubled)


def test_null_ids_join_nothing() -> None:
    with pytest.raises(ContractError, match="not in the collection"):
        attach(pl.DataFrame({"doc_id": ["a", None]}), documents({"a": ""}))


@given(ROWS, st.randoms(use_true_random=False))
def test_a_digest_does_not_depend_on_the_order_of_rows_or_columns(rows: list, random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert digest(frame(rows)) == digest(frame(shuffled).select("score", "id", "grade"))


@given(ROWS, ROWS)
def test_different_content_has_different_digests(first: list, second: list) -> None:
    same = sorted(first, key=lambda row: row[0]) == sorted(second, key=lambda row: row[0])
    assert (digest(frame(first)) == digest(frame(second))) == same


def test_a_column_of_nulls_counts_as_absent() -> None:
    rows = frame([("a", 1, None), ("b", 2, None)])
    assert digest(rows) == digest(rows.drop("score"))


def test_a_value_that_moves_to_another_column_changes_the_digest() -> None:
    first = pl.DataFrame({"a": ["x", None], "b": [None, "x"]})
    assert digest(first) != digest(first.select(a="b", b="a").with_columns(a=pl.lit("x")))


def test_json_digests_ignore_the_order_of_keys_and_refuse_nan() -> None:
    assert digest_json({"a": 1, "b": [2]}) == digest_json({"b": [2], "a": 1})
    with pytest.raises(ContractError, match="NaN"):
        digest_json({"a": float("nan")})


def test_texts_that_read_the_same_are_the_same() -> None:
    assert same_text("Caf\u00e9  ROTA\n") == same_text("cafe\u0301 rota")
    assert same_text("ＰＡＹ-1047") == "pay-1047"


def test_ids_that_only_look_alike_are_paired_with_the_composed_one() -> None:
    found = alike(["cafe\u0301", "caf\u00e9", "cafe", "\u212b", "A\u030a", "x"])
    assert found == [["cafe\u0301", "caf\u00e9"], ["\u212b", "A\u030a"]]
    assert alike(["q1", "q2", "q1"]) == []


def test_ids_with_blanks_or_unseen_signs_are_paired_with_the_plain_one() -> None:
    """As tables have them that people wrote (`q1, d1`), and as pages are copied from."""
    assert alike(["d1", " d1", "d2\t", "a b", "ab"]) == [[" d1", "d1"]]
    assert alike(["d1", "d1\u200b", "\ufeffd1", "d1\x00"]) == [
        ["d1\x00", "d1"],
        ["d1\u200b", "d1"],
        ["\ufeffd1", "d1"],
    ]
    assert alike(["e\u0301 ", "e\u0301"]) == [["e\u0301 ", "e\u0301"]]
