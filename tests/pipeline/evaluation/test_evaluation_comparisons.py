"""The selected configuration against its rivals, on five queries worked by hand."""

import math

import polars as pl
import pytest
from five_queries_study import OPENED, five_queries, parameters, row

from pipeline.evaluation import compute

SECOND = 1 / math.log2(3)


def test_the_selected_configuration_is_compared_with_every_rival() -> None:
    comparisons = compute(**five_queries()).comparisons
    assert comparisons["system"].unique().to_list() == ["selected"]
    assert comparisons["baseline"].unique().sort().to_list() == [
        "best_branch",
        "best_convex",
        "round_robin",
        "rrf_60",
        "vectors",
        "words",
    ]


def test_wins_and_losses_by_hand() -> None:
    comparisons = compute(**five_queries()).comparisons
    found = row(comparisons, baseline="words", slice="", measure="nDCG@2")
    q1, q2 = 3 / (3 + SECOND) - 3 * SECOND / (3 + SECOND), -SECOND
    assert found["delta"] == pytest.approx((q1 + q2) / 2)
    assert (found["wins"], found["losses"], found["ties"]) == (1, 1, 0)
    # Against `vectors`, q2 is a tie at nothing.
    found = row(comparisons, baseline="vectors", slice="", measure="nDCG@2")
    assert (found["wins"], found["losses"], found["ties"]) == (0, 1, 1)


def test_fewer_zero_hits_are_a_win_though_the_difference_is_negative() -> None:
    comparisons = compute(**five_queries()).comparisons
    found = row(comparisons, baseline="words", slice="", measure="ZeroHit@1")
    assert (found["delta"], found["wins"], found["losses"]) == (-0.5, 1, 0)


def test_the_best_branch_repeats_its_branch_and_is_not_counted_twice() -> None:
    comparisons = compute(**five_queries()).comparisons
    alias = comparisons.filter(pl.col("baseline") == "best_branch").drop("baseline")
    assert alias.equals(comparisons.filter(pl.col("baseline") == "vectors").drop("baseline"))
    family = comparisons.filter(
        (pl.col("measure") == "nDCG@2") & (pl.col("baseline") != "best_branch")
    )
    smallest = family.filter(pl.col("p") == family["p"].min())
    expected = min(1.0, float(smallest["p"][0]) * family["p"].drop_nulls().len())
    assert smallest["p_holm"][0] == pytest.approx(expected)


def test_production_is_compared_and_bounded() -> None:
    params = parameters(production="words", fusion={"branches": ["words", "vectors"]})
    result = compute(**five_queries(params=params))
    assert "production" in result.comparisons["baseline"].to_list()
    assert "production" in result.bounds["baseline"].to_list()


def test_small_slices_are_left_out_by_name() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    assert result.comparisons["slice"].unique().sort().to_list() == ["", "short"]
    assert result.summary["dev"]["slices_left_out"] == {"rare": 1}  # type: ignore[index]


def test_complementarity_by_hand() -> None:
    rows = compute(**five_queries(ledger=[OPENED])).complementarity.filter(pl.col("slice") == "")
    assert rows.select("split", "found_by", "queries", "evidence").rows() == [
        ("dev", "vectors", 0, 1),  # d of q1
        ("dev", "vectors+words", 1, 1),  # b of q1
        ("dev", "words", 1, 1),  # f of q2
        ("test", "vectors+words", 1, 1),  # i of q3
        ("test", "words", 1, 1),  # p of q4
    ]


def test_contexts_are_the_first_items_of_the_selected_lists() -> None:
    contexts = compute(**five_queries()).contexts
    assert contexts.filter(pl.col("query_id") == "q4").rows() == [
        ("q4", 1, "m", "m"),
        ("q4", 2, "p1", "p"),
    ]
