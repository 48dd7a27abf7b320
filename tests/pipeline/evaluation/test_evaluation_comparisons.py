"""The selected configuration against its rivals, on five queries worked by hand."""

import math

import polars as pl
import pytest
from five_queries_study import OPENED, five_queries, parameters, row

from pipeline.evaluation import compute
from pipeline.tables import FAMILIES

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


def families(**sections: object) -> dict[str, tuple[set[str], int]]:
    """The slices and the number of tests in each family of nDCG@2 on dev."""
    table = compute(**five_queries(params=parameters(**sections))).comparisons.filter(
        (pl.col("measure") == "nDCG@2") & (pl.col("split") == "dev")
    )
    assert set(table["family"]) <= set(FAMILIES)
    return {
        str(family): (set(rows["slice"]), rows["family_tests"][0])
        for (family,), rows in table.group_by("family")
    }


WIDE = {"measures": ["nDCG@2"], "slices": {"minimum": 1}}


def test_derived_slices_do_not_swell_the_family_of_declared_ones() -> None:
    found = families(evaluation=WIDE)
    slices, tests = found["declared"]
    derived, more = found["derived"]
    assert "" in slices
    assert derived
    assert not slices & derived
    plain = compute(**five_queries(params=parameters(evaluation=WIDE))).comparisons.filter(
        (pl.col("split") == "dev") & (pl.col("measure") == "nDCG@2")
    )
    for family, count in (("declared", tests), ("derived", more)):
        own = plain.filter((pl.col("family") == family) & (pl.col("baseline") != "best_branch"))
        assert own["p"].count() == count
        # One step: the smallest p times the number of tests of its own family alone.
        least = own.drop_nulls("p").sort("p").head(1)
        if least.height:
            expected = min(1.0, least["p"][0] * count)
            assert least["p_holm"][0] == pytest.approx(expected)


def test_a_derived_slice_that_a_gate_names_is_declared() -> None:
    (name, *_) = sorted(families(evaluation=WIDE)["derived"][0])
    limit = {"slices": {name: {"veto": "statistical", "tolerance": 0.1}}}
    assert name in families(evaluation=WIDE, decision=limit)["declared"][0]


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
