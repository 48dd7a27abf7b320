"""Nothing to measure, bytes, and the summary."""

import json
import math

import polars as pl
import pytest
from five_queries_study import (
    GRADES,
    OPENED,
    SIDE,
    TABLES,
    filled,
    five_queries,
    judged,
    parameters,
    row,
    same,
)

from pipeline.evaluation import compute
from pipeline.storage import to_json
from pipeline.tables import DEV_JUDGMENTS, SPLITS, TEST_JUDGMENTS

SECOND = 1 / math.log2(3)


def test_without_judgments_tables_are_empty_and_lists_are_not() -> None:
    result = compute(
        **five_queries(
            dev_judgments=DEV_JUDGMENTS.empty(),
            test_judgments=TEST_JUDGMENTS.empty(),
            ledger=[OPENED],
        )
    )
    assert not result.runs.is_empty()
    for name in ("systems", "per_query", "comparisons", "complementarity", "bounds"):
        assert getattr(result, name).is_empty(), name
    assert result.summary["dev"]["no_judgments"] == 2  # type: ignore[index]


def test_without_a_selected_configuration_branches_are_still_measured() -> None:
    inputs = five_queries()
    inputs["selection"] |= {"configuration": None, "best_convex": None, "best_branch": None}
    result = compute(**inputs)
    assert "words" in result.systems["system"].to_list()
    assert "selected" not in result.systems["system"].to_list()
    assert result.comparisons.is_empty()
    assert result.contexts.is_empty()


def test_without_a_dev_side_only_the_test_has_figures() -> None:
    splits = filled(
        SPLITS,
        [{"query_id": query, "group_id": f"g-{query}", "split": "test"} for query in SIDE],
    )
    everything = judged(TEST_JUDGMENTS, GRADES)
    inputs = five_queries(
        splits=splits,
        dev_judgments=DEV_JUDGMENTS.empty(),
        test_judgments=everything,
        ledger=[OPENED],
    )
    inputs["selection"] |= {"best_branch": None, "best_convex": None}
    result = compute(**inputs)
    assert result.systems["split"].unique().to_list() == ["test"]
    assert result.summary["dev"]["queries"] == 0  # type: ignore[index]


@pytest.mark.parametrize("regime", ["exhaustive", "sparse"])
def test_only_pooled_judgments_have_bounds(regime: str) -> None:
    params = parameters(collection={"path": "five", "scale": [0, 3], "regime": regime})
    assert compute(**five_queries(params=params)).bounds.is_empty()


def test_the_order_of_rows_changes_nothing() -> None:
    inputs = five_queries(ledger=[OPENED])
    shuffled = {
        name: part.sample(fraction=1.0, shuffle=True, seed=3)
        if isinstance(part, pl.DataFrame)
        else part
        for name, part in inputs.items()
    }
    assert same(compute(**inputs), compute(**shuffled))


def test_every_table_is_as_declared_and_the_summary_is_json() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    for name, table in TABLES.items():
        assert table.check(getattr(result, name)).equals(getattr(result, name)), name
    assert json.loads(to_json(result.summary)) == result.summary


def test_the_summary_counts_queries_by_state_and_side() -> None:
    summary = compute(**five_queries(ledger=[OPENED])).summary
    test = summary["test"]
    states = ("queries", "ranked", "unanswerable", "no_relevant", "no_judgments")
    assert [test[name] for name in states] == [3, 2, 1, 0, 0]  # type: ignore[index]
    # q5: `vectors` returns nothing, `words` shows one irrelevant item of two.
    assert test["for_unanswerable"]["vectors"] == {  # type: ignore[index]
        "answered_by_nothing": 1.0,
        "known_irrelevant": 0.0,
    }
    assert test["for_unanswerable"]["words"]["known_irrelevant"] == 0.5  # type: ignore[index]
    assert test["selected"] == pytest.approx((1 + SECOND) / 2)  # type: ignore[index]
    assert summary["branches"]["vectors"] == {"empty": 1, "ok": 4}  # type: ignore[index]


def test_traffic_weights_are_a_second_view() -> None:
    inputs = five_queries()
    weight = pl.when(pl.col("query_id") == "q1").then(3.0).otherwise(None)
    result = compute(**inputs | {"queries": inputs["queries"].with_columns(weight=weight)})
    plain = compute(**inputs)
    dev = result.summary["dev"]
    # `vectors` is perfect on q1, which counts three times, and has nothing on q2.
    assert dev["weighted"]["vectors"]["value"] == pytest.approx(0.75)  # type: ignore[index]
    assert result.systems.equals(plain.systems)
    assert plain.summary["dev"]["weighted"] == {}  # type: ignore[index]


def test_a_query_without_traffic_stands_aside_in_the_second_view() -> None:
    inputs = five_queries()
    weight = pl.when(pl.col("query_id") == "q1").then(1e308).otherwise(0.0)
    result = compute(**inputs | {"queries": inputs["queries"].with_columns(weight=weight)})
    assert result.summary["dev"]["weighted"]["vectors"]["value"] == 1.0  # type: ignore[index]
    nobody = inputs["queries"].with_columns(weight=pl.lit(0.0))
    none = compute(**inputs | {"queries": nobody})
    assert none.summary["dev"]["weighted"] == {}  # type: ignore[index]


def test_relevant_evidence_that_no_document_carries_is_counted() -> None:
    judgments = judged(DEV_JUDGMENTS, {"q1": {"b": 1, "nowhere": 2, "nor this": 0}})
    dev = compute(**five_queries(dev_judgments=judgments)).summary["dev"]
    assert (dev["relevant"], dev["relevant_without_document"]) == (2, 1)  # type: ignore[index]


def test_unknown_pairs_stay_unknown() -> None:
    # Nobody graded d of q1: it may still be worth something, and stays in the bounds.
    judgments = judged(DEV_JUDGMENTS, {"q1": {"b": 3, "d": None, "a": 0}})
    bounds = compute(**five_queries(dev_judgments=judgments)).bounds
    worst, plain, best = (
        row(bounds, baseline="vectors", view=view)["delta"]
        for view in ("worst", "non_relevant", "best")
    )
    assert worst < plain == best == 0.0
