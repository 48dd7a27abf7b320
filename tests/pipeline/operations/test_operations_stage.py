"""The stage `operations` on five queries."""

import polars as pl
import pytest

from pipeline.errors import RecordError
from pipeline.fusion import Configuration
from pipeline.ledger import Opening
from pipeline.operations import compute
from pipeline.tables import (
    BRANCH_PROBES,
    CANDIDATE_QUERIES,
    CONFIGURATIONS,
    CONTEXTS,
    CRITICAL,
    DEV_JUDGMENTS,
    DIAGNOSIS,
    POOL,
    RECORDED_SNAPSHOTS,
    RECORDED_TIMES,
    RUNS,
    TRACES,
)
from pipeline.times import Timing, Work
from pipeline.times.current import branch_contracts
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
        "traces": TRACES.empty(),
        "diagnosis": DIAGNOSIS.empty(),
        "critical": CRITICAL.empty(),
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
    # q2 with all branches, in two fusions that differ; q1 without bm25, q1 and q2 without dense,
    # where all fusions are the same.
    assert kept == {"checked": 2 + 1 + 2, "violations": []}


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
    assert (result.latency["low"] <= result.latency["milliseconds"]).all()
    assert (result.latency["high"] >= result.latency["milliseconds"]).all()
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


def both(**more):
    """The selected configuration and a branch, timed together; the branch is twice as fast."""
    whole = timing().line() | more
    known = branch_contracts(documents({"a": "x", "b": "y", "c": "z"}), params(BRANCHES))
    alone = timing("bm25", None, digests={"bm25": known["bm25"]}).line() | more
    return [whole, alone | {"calls_ms": [one / 2 for one in alone["calls_ms"]]}]


def test_a_ratio_is_of_calls_that_were_taken_in_turns():
    result = operations(times=both())
    rows = result.latency_ratios.to_dicts()
    assert [(one["baseline"], one["percentile"], one["ratio"]) for one in rows] == [
        ("bm25", 50, 2.0),
        ("bm25", 90, 2.0),
        ("bm25", 95, 2.0),
    ]
    assert {(one["low"], one["high"]) for one in rows} == {(2.0, 2.0)}


def test_two_runs_make_no_ratio():
    apart = [both(session="one")[0], both(session="two")[1]]
    assert operations(times=apart).latency_ratios.is_empty()


def test_callers_and_modes_stay_apart():
    cold = [line | {"mode": "cold"} for line in both()]
    crowd = [line | {"callers": 16} for line in both()]
    rows = operations(times=[*both(), *cold, *crowd]).latency_ratios
    assert rows.select("mode", "callers").unique().sort("mode", "callers").rows() == [
        ("cold", 1),
        ("warm", 1),
        ("warm", 16),
    ]


def took(**branches):
    rows = [
        {"branch": branch, "query_id": f"q{place:03d}", "took_ms": one}
        for branch, times in branches.items()
        for place, one in enumerate(times)
    ]
    return table(RECORDED_TIMES, rows)


def test_recorded_runs_bring_their_own_milliseconds():
    said = took(bm25=[10.0] * 200, dense=[float(n) for n in range(200)])
    result = operations(recorded_times=said)
    assert set(result.latency["mode"]) == {"recorded"}
    waited = result.latency.filter((pl.col("system") == "selected") & (pl.col("percentile") == 50))
    # The slower branch of each query: 10 up to query 10, then n.
    assert waited.select("component", "milliseconds").rows() == [("retrieval", 99.0)]
    ratio = result.latency_ratios.filter(
        (pl.col("baseline") == "bm25") & (pl.col("percentile") == 50)
    )
    assert ratio["ratio"].to_list() == [9.9]
    assert result.summary["latency_missing"] == "no times are recorded"


def test_recorded_milliseconds_have_no_bounds_for_nobody_knows_the_order_of_their_calls():
    """The same calls, a burst of slow ones among them, under ids that follow them or do not."""
    slow = [500.0 if 80 <= place < 100 else 10.0 + place / 100 for place in range(200)]
    scattered = slow[::10] + [one for place, one in enumerate(slow) if place % 10]
    found = [
        operations(recorded_times=took(bm25=order, dense=[5.0] * 200))
        for order in (slow, scattered)
    ]
    assert found[0].latency.equals(found[1].latency)
    assert found[0].latency_ratios.equals(found[1].latency_ratios)
    for table_ in (found[0].latency, found[0].latency_ratios):
        assert table_.height
        assert table_.select("low", "high").null_count().row(0) == (table_.height,) * 2
    waited = found[0].latency.filter(
        (pl.col("system") == "selected") & (pl.col("percentile") == 95)
    )
    assert waited["milliseconds"].to_list() == [500.0]


def test_nothing_is_divided_by_recorded_calls_that_took_no_time():
    result = operations(recorded_times=took(bm25=[0.0] * 200, dense=[1.0] * 200))
    assert set(result.latency_ratios["baseline"]) == {"dense"}


def test_lists_of_several_states_of_the_index_are_told():
    rows = [{"branch": "bm25", "snapshot": name, "queries": 2} for name in ("monday", "sunday")]
    result = operations(recorded_snapshots=table(RECORDED_SNAPSHOTS, rows))
    (one,) = result.summary["stale"]
    assert (one["sign"], one["branches"], one["queries"]) == ("several", ["bm25"], 2)
    assert operations().summary["stale"] == []


def test_recorded_and_measured_milliseconds_are_never_in_one_ratio():
    rows = operations(times=both()[:1], recorded_times=took(bm25=[1.0] * 200)).latency_ratios
    assert rows.is_empty()


def cost_of(result, system, source="lists"):
    rows = result.cost.filter((pl.col("system") == system) & (pl.col("source") == source))
    return dict(rows.select("quantity", "value").iter_rows())


def test_work_is_counted_in_the_stored_lists():
    found = cost_of(operations(), "selected")
    # Eight rows in the lists of five queries; q1 a and b, q2 b, q3 c, q4 a and c: six handed over.
    assert found == {
        "requests": 2.0,
        "requests:bm25": 1.0,
        "requests:dense": 1.0,
        "candidates": 1.6,
        "documents": 1.2,
        "context_tokens": 1.2,
    }
    assert cost_of(operations(), "bm25")["candidates"] == 0.8


def test_what_was_counted_while_timing_stands_beside_it():
    work = Work({"bm25": 200, "dense": 200}, 3000, 1000, 50_000)
    found = cost_of(
        operations(times=[timing().line() | {"work": work.line()}]), "selected", "record"
    )
    assert (found["requests"], found["candidates"], found["context_tokens"]) == (2.0, 15.0, 250.0)


def test_a_collection_of_ids_alone_has_no_tokens():
    bare = documents({"a": None, "b": None, "c": None})
    assert "context_tokens" not in cost_of(operations(documents=bare), "selected")


def test_depth_against_quality_and_candidates():
    depths = {"bm25": 2, "dense": 2}
    shallow = {**SELECTION["configuration"], "depths": depths}
    of = params(
        {name: {"kind": "recorded", "run": name, "depth": 2} for name in BRANCHES},
        selection={"measure": "RR@5"},
        sweep={"depths": [1, 2]},
    )
    result = operations(selection={**SELECTION, "configuration": shallow}, params=of)
    rows = result.depths.filter(pl.col("measure") == "RR@5").to_dicts()
    # On dev q1 has two rows and one, q2 one and none.
    assert [(one["depth"], one["candidates"], one["value"]) for one in rows] == [
        (1, 1.5, 1.0),
        (2, 2.0, 1.0),
    ]
    assert {one["p95"] for one in rows} == {None}
    assert rows[0]["delta"] == 0.0


def test_a_cut_fusion_that_was_timed_stands_at_its_depth():
    cut = Configuration.of(
        "rrf",
        rank_constant=60,
        weights=dict.fromkeys(BRANCHES, 1),
        depths=dict.fromkeys(BRANCHES, 5),
    )
    line = timing("selected@5", cut.id).line()
    rows = operations(times=[line]).depths.filter(pl.col("measure") == "RR@5")
    assert dict(rows.select("depth", "p95").iter_rows()) == {
        5: 190.0,
        10: None,
        20: None,
        50: None,
        100: None,
    }


def test_a_broken_line_of_the_record_is_named():
    with pytest.raises(RecordError, match=r"times\.jsonl:1"):
        operations(times=[{"system": "bm25"}])


def test_rows_in_any_order_give_the_same():
    lists = candidates(LISTS)
    assert operations().faults.equals(operations(candidates=lists.reverse()).faults)
