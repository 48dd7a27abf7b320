"""The primary comparisons without the judgments that one branch alone contributed."""

import pytest
from five_queries_study import (
    GRADES,
    LISTS,
    OPENED,
    SIDE,
    filled,
    five_queries,
    judged,
    parameters,
    row,
)

from pipeline.evaluation import compute
from pipeline.evaluation.pool_bias import contributed
from pipeline.tables import POOL, RUNS, TEST_JUDGMENTS


def opened(**changes):
    """The five queries, opened."""
    return compute(**five_queries(ledger=[OPENED], **changes))


def test_a_branchs_own_judgments_leave_lists_and_ideal():
    bias = opened().pool_bias
    found = row(bias, without="words", baseline="vectors", split="test")
    # Alone words brought h of q3, p and l of q4, n of q5; without p nothing of q4 is relevant.
    assert (found["dropped"], found["dropped_relevant"], found["queries"]) == (4, 1, 1)
    left = row(bias, without="vectors", baseline="vectors", split="test")
    # Alone vectors brought m of q4; k of q3 is not judged.
    assert (left["dropped"], left["dropped_relevant"], left["queries"]) == (1, 0, 2)


def test_it_is_the_study_that_would_have_been_made_without_the_branch():
    bias = opened().pool_bias
    fewer = {
        query: {item: grade for item, grade in grades.items() if item not in {"h", "p", "l", "n"}}
        for query, grades in GRADES.items()
        if SIDE[query] == "test"
    }
    again = opened(test_judgments=judged(TEST_JUDGMENTS, fewer))
    for baseline in LISTS:
        found = row(bias, without="words", baseline=baseline, split="test")
        expected = row(
            again.comparisons, baseline=baseline, split="test", slice="", measure="nDCG@2"
        )
        assert found["delta"] == pytest.approx(expected["delta"])


def test_with_all_judgments_it_is_the_comparison():
    result = opened()
    found = row(result.pool_bias, without="", baseline="words", split="test")
    expected = row(result.comparisons, baseline="words", split="test", slice="", measure="nDCG@2")
    for name in ("delta", "low", "high", "queries", "groups", "nonzero_groups"):
        assert found[name] == expected[name]


def test_what_no_branch_shows_down_to_the_pools_depth_is_whose_list_holds_it():
    runs = filled(
        RUNS,
        [
            {"system": system, "query_id": "q", "rank": rank, "doc_id": item, "evidence_id": item}
            for system, items in {"a": "xyu", "b": "ywz", "selected": "uxw"}.items()
            for rank, item in enumerate(items, start=1)
        ],
    )
    pool = filled(
        POOL,
        [{"query_id": "q", "evidence_id": item, "status": "judged"} for item in "xyuwz"],
    )
    # At depth 1: x is a's, y b's (a shows it, too deep); u and z came by fusion, w is b's at 2.
    found = contributed(runs, ["a", "b"], pool, 1).select("system", "evidence_id").rows()
    assert sorted(found) == [("a", "u"), ("a", "x"), ("b", "w"), ("b", "y"), ("b", "z")]
    # At depth 2 both show y.
    found = contributed(runs, ["a", "b"], pool, 2).select("system", "evidence_id").rows()
    assert sorted(found) == [("a", "u"), ("a", "x"), ("b", "w"), ("b", "z")]


def test_other_regimes_have_no_pool():
    exhaustive = parameters(collection={"path": "five", "scale": [0, 3], "regime": "exhaustive"})
    assert opened(params=exhaustive).pool_bias.is_empty()
