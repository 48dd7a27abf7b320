"""Slices: shown from a number of ranked queries on, otherwise named."""

import polars as pl

from pipeline.slices import declared_slices

QUERIES = pl.DataFrame(
    {
        "query_id": ["q3", "q1", "q2", "q4"],
        "slices": [["long", "code"], ["long"], None, ["code", "code"]],
    }
)


def test_slices_count_ranked_queries_only() -> None:
    slices = declared_slices(QUERIES, ["q1", "q2", "q3"], minimum=2)
    assert dict(slices.shown) == {"": ("q1", "q2", "q3"), "long": ("q1", "q3")}
    assert dict(slices.left_out) == {"code": 1}


def test_a_slice_named_twice_by_a_query_holds_it_once() -> None:
    slices = declared_slices(QUERIES, ["q4"], minimum=1)
    assert slices.members().rows() == [("", "q4"), ("code", "q4")]


def test_without_ranked_queries_nothing_is_shown_but_all_of_them() -> None:
    slices = declared_slices(QUERIES, [], minimum=1)
    assert dict(slices.shown) == {"": ()}
    assert slices.members().is_empty()


def test_a_slice_without_a_ranked_query_has_no_value_rather_than_zero() -> None:
    slices = declared_slices(QUERIES, ["q1"], minimum=1)
    assert "code" not in slices.shown
    assert "code" not in slices.left_out
