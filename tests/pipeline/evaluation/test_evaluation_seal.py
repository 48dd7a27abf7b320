"""What a sealed test shows, what an opened one does, and crossfit."""

import math
from typing import Any

import polars as pl
import pytest
from five_queries_study import (
    CONVEX,
    LISTS,
    OPENED,
    RRF,
    SIDE,
    TABLES,
    as_selection,
    filled,
    five_queries,
    judged,
    listed,
    parameters,
    row,
    same,
)

from pipeline.evaluation import compute
from pipeline.fusion import Configuration
from pipeline.tables import SPLITS, TEST_JUDGMENTS

Inputs = dict[str, Any]


@pytest.mark.parametrize("protocol", ["holdout", "crossfit"])
def test_sealed_shows_no_figure_of_the_test(protocol: str) -> None:
    inputs = crossfit(five_queries()) if protocol == "crossfit" else five_queries()
    result = compute(**inputs)
    for name, table in TABLES.items():
        frame = getattr(result, name)
        if "split" in table.columns:
            assert set(frame["split"]) <= {"dev"}, name
            # Nothing on dev of five queries is critical.
            assert frame.height or name == "critical"
    assert result.summary["sealed"] is True
    known = {"queries", "groups", "judged_share", "detectable"}
    assert set(result.summary["test"]) == known  # type: ignore[call-overload]
    assert "test" not in {line[0] for line in result.summary["table"]["rows"]}  # type: ignore[index]


def test_sealed_does_not_depend_on_test_labels() -> None:
    other = judged(TEST_JUDGMENTS, {"q3": {"j": 3}, "q4": {"m": 3}, "q5": {"n": 1}})
    assert same(compute(**five_queries()), compute(**five_queries(test_judgments=other)))


def test_before_opening_the_outlook_comes_from_dev() -> None:
    sealed = compute(**five_queries())
    test, dev = sealed.summary["test"], sealed.summary["dev"]
    assert (test["queries"], test["groups"]) == (3, 3)  # type: ignore[index]
    # 6 of the 8 pairs pooled for the test's queries have a grade.
    assert test["judged_share"] == 0.75  # type: ignore[index]
    # A third group makes the test sharper than the two of dev.
    largest = max(dev["baselines"][name]["detectable"] for name in LISTS)  # type: ignore[index]
    assert 0 < test["detectable"] < largest  # type: ignore[index]


def test_another_selection_or_test_set_does_not_open() -> None:
    inputs = five_queries(ledger=[OPENED])
    inputs["selection"]["hashes"] = {"test_set": "the test set", "selection": "another"}
    assert compute(**inputs).summary["sealed"] is True


def test_a_second_opening_is_judged_at_a_smaller_level() -> None:
    earlier = type(OPENED)("the test set", "an earlier one", {}, OPENED.opened_at)
    first = compute(**five_queries(ledger=[OPENED]))
    second = compute(**five_queries(ledger=[earlier, OPENED]))
    assert (second.summary["opening"], first.summary["opening"]) == (2, 1)
    assert second.summary["alpha"] == pytest.approx(0.05 * 6 / (math.pi**2 * 4))
    key = {"baseline": "words", "slice": "", "measure": "nDCG@2"}
    wide, narrow = (row(one.comparisons, split="test", **key) for one in (second, first))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
    assert row(second.comparisons, split="dev", **key) == row(first.comparisons, split="dev", **key)


def crossfit(inputs: Inputs) -> Inputs:
    """All queries in two folds: fold 0 (q1, q3, q5) is served by `words` mostly, fold 1 by RRF."""
    rows = [
        {"query_id": query, "group_id": f"g-{query}", "split": "crossfit", "fold": number % 2}
        for number, query in enumerate(SIDE)
    ]
    words = Configuration.of(
        "rrf",
        rank_constant=1,
        weights={"words": 0.99, "vectors": 0.01},
        depths={"words": 3, "vectors": 3},
    )
    selection = inputs["selection"] | {
        "folds": {"0": as_selection(words), "1": as_selection(RRF)},
        "best_convex_by_fold": {"0": as_selection(CONVEX), "1": as_selection(CONVEX)},
        "best_branch_by_fold": {"0": "words", "1": "vectors"},
    }
    return inputs | {
        "selection": selection,
        "splits": filled(SPLITS, rows),
        "params": parameters(splits={"protocol": "crossfit", "folds": 2}),
    }


def test_held_out_values_are_those_of_the_right_fold() -> None:
    result = compute(**crossfit(five_queries(ledger=[OPENED])))
    # q1 lies in fold 0: held out it gets `words`' order, in-sample the final configuration's.
    assert listed(result.runs, "selected_held_out", "q1").startswith("a b")
    assert listed(result.runs, "selected", "q1").startswith("b a")
    key = {"system": "selected", "query_id": "q1", "measure": "P@1"}
    assert row(result.per_query, split="test", **key)["value"] == 0.0
    assert row(result.per_query, split="dev", **key)["value"] == 1.0
    # q2 lies in fold 1, which chose what is shipped.
    assert listed(result.runs, "selected_held_out", "q2") == listed(result.runs, "selected", "q2")


def test_the_best_branch_is_each_folds_own() -> None:
    runs = compute(**crossfit(five_queries(ledger=[OPENED]))).runs
    assert listed(runs, "best_branch_held_out", "q1") == listed(runs, "words", "q1")
    assert listed(runs, "best_branch_held_out", "q2") == listed(runs, "vectors", "q2")
    assert listed(runs, "best_branch", "q1") == listed(runs, "vectors", "q1")


def test_crossfit_measures_every_query_once_on_each_part() -> None:
    systems = compute(**crossfit(five_queries(ledger=[OPENED]))).systems
    counts = systems.filter((pl.col("system") == "selected") & (pl.col("measure") == "nDCG@2"))
    assert counts.select("split", "queries").rows() == [("dev", 4), ("test", 4)]
