"""The stage `operations` on five queries."""

import polars as pl
import pytest

from pipeline.errors import RecordError
from pipeline.ledger import Opening
from pipeline.operations import compute
from pipeline.operations.latency import branch_contracts
from pipeline.tables import (
    BRANCH_PROBES,
    CANDIDATE_QUERIES,
    CONFIGURATIONS,
    CONTEXTS,
    DEV_JUDGMENTS,
    POOL,
    RUNS,
)
from pipeline.times import Timing
from tests.rows import candidates, documents, params, queries, splits, table

BRANCHES = {
    "bm25": {"kind": "bm25", "depth": 100},
    "dense": {"kind": "dense", "depth": 100},
}
QUERIES = ("q1", "q2", "q3", "q4", "q5")
LISTS = {
    ("bm25", "q1"): ["a", "b"],
    ("dense", "q1"): ["a"],
    ("bm25", "q2"): ["b"],  # the dense branch has nothing
    ("dense", "q3"): ["c"],
    ("bm25", "q4"): ["a"],
    ("dense", "q4"): ["c", "a"],
}  # q5: nothing at all
SELECTION = {
    "configuration": {
        "id": "rrf",
        "method": "rrf",
        "rank_constant": 60,
        "weights": {"bm25": 0.5, "dense": 0.5},
        "depths": {"bm25": 100, "dense": 100},
    },
    "folds": None,
    "best_branch": "bm25",
    "hashes": {"test_set": "t", "selection": "s"},
}
OPENED = [Opening("t", "s", SELECTION["configuration"], "2026-01-01")]
SIDES = {"q1": "dev", "q2": "dev", "q3": "test", "q4": "test", "q5": "test"}
RELEVANT = {"q1": "a", "q2": "b", "q3": "c", "q4": "a", "q5": "c"}


def judged(side):
    rows = [
        {"query_id": query, "evidence_id": RELEVANT[query], "grade": 1, "status": "judged"}
        for query in QUERIES
        if SIDES[query] == side
    ]
    return table(DEV_JUDGMENTS, rows)


def states(**unwell):
    rows = [
        {"branch": branch, "query_id": query, "status": unwell.get(query, "ok"), "returned": 1}
        for branch in BRANCHES
        for query in QUERIES
    ]
    return table(CANDIDATE_QUERIES, rows)


def operations(**more):
    inputs = {
        "documents": documents({"a": "x", "b": "y", "c": "z"}),
        "queries": queries(dict.fromkeys(QUERIES, "?")),
        "splits": splits(SIDES),
        "candidates": candidates(LISTS),
        "candidate_queries": states(),
        "probes": BRANCH_PROBES.empty(),
        "pool": POOL.empty(),
        "configurations": CONFIGURATIONS.empty(),
        "selection": SELECTION,
        "runs": RUNS.empty(),
        "contexts": CONTEXTS.empty(),
        "dev_judgments": judged("dev"),
        "test_judgments": judged("test"),
        "ledger": [],
        "times": [],
        "params": params(BRANCHES, selection={"measure": "RR@5"}),
    }
    return compute(**{**inputs, **more})


def row(result, fault, split="dev", system="selected"):
    (only,) = result.faults.filter(
        (pl.col("fault") == fault) & (pl.col("split") == split) & (pl.col("system") == system)
    ).to_dicts()
    return only


def test_dropping_each_branch_by_hand():
    result = operations()
    assert row(result, "none")["value"] == 1.0
    # Without bm25 q1 keeps a on top, and q2 is answered by nothing: it stays in the mean as 0.
    out = row(result, "dropout:bm25")
    assert (out["value"], out["delta"], out["empties"], out["partials"]) == (0.5, -0.5, 1, 1)
    assert row(result, "dropout:dense")["value"] == 1.0


def test_the_test_is_looked_at_only_once_it_was_opened():
    assert operations().faults["split"].unique().to_list() == ["dev"]
    result = operations(ledger=OPENED)
    assert row(result, "none", "test")["empties"] == 1
    assert row(result, "dropout:dense", "test")["empties"] == 2
    assert row(result, "dropout:dense", "test")["queries"] == 3


def test_an_answer_that_a_branch_is_missing_from_is_partial():
    assert row(operations(candidate_queries=states(q1="timeout")), "none")["partials"] == 1
    assert row(operations(candidate_queries=states(q1="empty")), "none")["partials"] == 0


def test_the_order_of_the_remaining_branch_is_checked_and_reported():
    kept = operations().summary["invariants"]["one_branch_left_keeps_its_order"]
    # Of three fusions: q2 with all branches, q1 without bm25, q1 and q2 without dense.
    assert kept == {"checked": 3 * (1 + 1 + 2), "violations": []}


def test_without_judgments_answers_are_still_counted():
    result = operations(dev_judgments=DEV_JUDGMENTS.empty())
    out = row(result, "dropout:bm25")
    assert (out["value"], out["delta"], out["empties"]) == (None, None, 1)


def test_without_a_selection_there_is_nothing_to_drop():
    result = operations(selection={**SELECTION, "configuration": None})
    assert result.faults.is_empty()
    assert result.summary["latency_missing"] == "no configuration is selected"


def test_folds_are_answered_by_what_was_chosen_without_them():
    alone = {**SELECTION["configuration"], "weights": {"bm25": 1.0}, "depths": {"bm25": 100}}
    crossed = {**SELECTION, "folds": {"0": SELECTION["configuration"], "1": alone}}
    sides = splits(dict.fromkeys(QUERIES, "crossfit")).with_columns(fold=pl.Series([0, 0, 1, 1, 1]))
    result = operations(selection=crossed, splits=sides, ledger=OPENED)
    # q3 has the dense branch only: its fold's choice answers it by nothing.
    assert row(result, "none", "test")["empties"] == 2
    assert row(result, "none", "dev")["empties"] == 1


def test_folds_that_chose_the_same_answer_all_of_their_queries():
    same = {**SELECTION, "folds": dict.fromkeys("01", SELECTION["configuration"])}
    sides = splits(dict.fromkeys(QUERIES, "crossfit")).with_columns(fold=pl.Series([0, 0, 1, 1, 1]))
    result = operations(selection=same, splits=sides, ledger=OPENED)
    assert row(result, "none", "test")["empties"] == row(result, "none", "dev")["empties"] == 1


def timing(system="selected", configuration="rrf", calls=200, digests=None):
    known = branch_contracts(documents({"a": "x", "b": "y", "c": "z"}), params(BRANCHES))
    return Timing(
        system,
        "warm",
        tuple(float(number) for number in range(1, calls + 1)),
        digests or known,
        configuration,
        {},
        {},
        "2026-01-01",
    )


def test_percentiles_are_read_off_calls_enough():
    result = operations(times=[timing().line()])
    found = dict(result.latency.select("percentile", "milliseconds").iter_rows())
    assert found == {50: 100.0, 90: 180.0, 95: 190.0}
    assert result.summary["latency_missing"] is None


def test_a_later_measurement_replaces_an_earlier_one():
    slow = timing(calls=200).line() | {"calls_ms": [500.0] * 200}
    result = operations(times=[timing().line(), slow])
    assert set(result.latency["milliseconds"]) == {500.0}


@pytest.mark.parametrize(
    "other",
    [
        timing(configuration="another"),
        timing(digests={"bm25": "another", "dense": "another"}),
    ],
)
def test_times_of_another_configuration_or_index_say_nothing(other):
    result = operations(times=[other.line()])
    assert result.latency.is_empty()
    assert "other branches" in str(result.summary["latency_missing"])


def test_without_times_nothing_is_made_up():
    result = operations()
    assert result.latency.is_empty()
    assert result.summary["latency_missing"] == "no times are recorded"


def test_a_broken_line_of_the_record_is_named():
    with pytest.raises(RecordError, match=r"times\.jsonl:1"):
        operations(times=[{"system": "bm25"}])


def test_rows_in_any_order_give_the_same():
    lists = candidates(LISTS)
    assert operations().faults.equals(operations(candidates=lists.reverse()).faults)
