"""What each branch is worth, and where agreement costs, worked by hand."""

from typing import Any

import pytest
from five_queries_study import LISTS, OPENED, five_queries, retrieved, row
from test_diagnosis import WANTED, noise, one_query

from pipeline.evaluation import compute


def test_unique_evidence_and_the_loss_without_a_branch_by_hand() -> None:
    result = compute(**five_queries())
    vectors = row(result.branch_value, split="dev", slice="", branch="vectors")
    words = row(result.branch_value, split="dev", slice="", branch="words")
    # Relevant on dev: b, d of q1 and f of q2. words has b and f, vectors b and d.
    assert (words["evidence"], words["unique_evidence"], words["unique_queries"]) == (2, 1, 1)
    assert (vectors["evidence"], vectors["unique_evidence"], vectors["unique_queries"]) == (2, 1, 0)
    # Without vectors the list is that of words: q1 a b (b second), q2 e f (f second).
    selected = row(result.systems, system="selected", split="dev", measure="nDCG@2")["value"]
    alone = row(result.systems, system="words", split="dev", measure="nDCG@2")["value"]
    assert vectors["delta"] == pytest.approx(selected - alone)
    assert (vectors["queries"], vectors["groups"]) == (2, 2)


def test_slices_with_enough_queries_have_rows_of_their_own_on_each_open_side() -> None:
    found = compute(**five_queries(ledger=[OPENED])).branch_value
    assert found.select("split", "slice").unique(maintain_order=True).rows() == [
        ("dev", ""),
        ("dev", "short"),
        ("test", ""),
        ("test", "short"),
    ]


def test_a_branch_that_returns_nothing_is_worth_nothing() -> None:
    empty = {**LISTS, "vectors": dict.fromkeys(LISTS["vectors"], "")}
    result = compute(**five_queries(candidates=retrieved(empty)))
    vectors = row(result.branch_value, split="dev", slice="", branch="vectors")
    assert (vectors["evidence"], vectors["delta"]) == (0, 0.0)


def penalty(grades: dict[str, int]) -> dict[str, Any]:
    """`wanted` is first in dense alone; both branches hold m0 to m5, from the second place on."""
    middle = noise(6, "m")
    result = one_query(
        {"dense": [WANTED, *middle], "words": ["w0", *middle]},
        fused={"dense": 7, "words": 7},
        grades=grades,
    )
    return row(result.agreement, split="dev", branch="dense")


def test_a_first_place_below_what_both_branches_hold_in_the_middle_is_counted() -> None:
    found = penalty({})
    assert (found["queries"], found["pushed_out"], found["relevant"]) == (1, 1, 1)
    assert (found["not_relevant"], found["unjudged"]) == (0, 0)


def test_what_was_pushed_out_is_counted_by_its_judgment() -> None:
    middle = noise(6, "m")
    result = one_query(
        {"dense": [WANTED, *middle], "words": ["w0", *middle]}, fused={"dense": 7, "words": 7}
    )
    words = row(result.agreement, split="dev", branch="words")
    assert (words["pushed_out"], words["relevant"], words["unjudged"]) == (1, 0, 1)


def test_a_first_place_that_stays_is_not_counted() -> None:
    result = one_query(
        {"dense": [WANTED, "a"], "words": [WANTED, "b"]}, fused={"dense": 2, "words": 2}
    )
    assert row(result.agreement, split="dev", branch="dense")["pushed_out"] == 0
