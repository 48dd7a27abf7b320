"""Every fault on every system of a study of four queries, and what must hold whatever fails."""

from functools import cache

import polars as pl
import pytest
from scipy import stats

from pipeline.acceptance import accepting
from pipeline.faults import INJECTED, in_words
from pipeline.operations import faults
from pipeline.operations.invariants import (
    INVARIANTS,
    MARKED,
    NOT_LOST,
    NOT_WIDER,
    ONE_BRANCH,
    STALE,
)
from pipeline.operations.served import Served
from pipeline.operations.trying import try_faults
from pipeline.parts import DEV, TEST, visible_parts
from pipeline.seal import Seal
from pipeline.tables import CANDIDATE_QUERIES, DEV_JUDGMENTS
from tests.rows import candidates, documents, params, queries, splits, table

BRANCHES = {"bm25": {"kind": "bm25"}, "dense": {"kind": "dense"}}
DOCUMENTS = documents(
    dict.fromkeys(["a", "b", "c", "d", "s", "t"], "x"), tenant={"s": "x", "t": "x"}
)
NAMES = ("q1", "q2", "q3", "q4")
LISTS = {
    ("bm25", "q1"): ["a", "b", "c"],
    ("dense", "q1"): ["a", "c", "d"],
    ("bm25", "q2"): ["b", "a"],
    ("dense", "q2"): ["c", "b"],
    ("bm25", "q3"): ["c"],
    ("dense", "q3"): ["d", "c"],
    ("dense", "q4"): ["d"],
}
RELEVANT = {"q1": "a", "q2": "b", "q3": "c", "q4": "d"}
EVERY = {"faults": list(INJECTED), "pairs": True}
CHOSEN = {
    "id": "rrf",
    "method": "rrf",
    "rank_constant": 60,
    "weights": {"bm25": 0.5, "dense": 0.5},
    "depths": {"bm25": 100, "dense": 100},
}


def tried(operations=EVERY, decision=None, **fusion):
    of = params(
        BRANCHES,
        operations=operations,
        selection={"measure": "RR@5"},
        fusion=fusion,
        decision=decision or {},
    )
    people, sides = queries(dict.fromkeys(NAMES, "?")), splits(dict.fromkeys(NAMES, "dev"))
    rows = [
        {"query_id": q, "evidence_id": e, "grade": 1, "status": "judged"}
        for q, e in RELEVANT.items()
    ]
    labels = {DEV: table(DEV_JUDGMENTS, rows), TEST: DEV_JUDGMENTS.empty()}
    states = [
        {"branch": b, "query_id": q, "status": "ok" if (b, q) in LISTS else "empty"}
        | {"returned": len(LISTS.get((b, q), []))}
        for b in BRANCHES
        for q in NAMES
    ]
    return try_faults(
        Served(
            documents=DOCUMENTS,
            queries=people,
            splits=sides,
            candidates=candidates(LISTS),
            candidate_queries=table(CANDIDATE_QUERIES, states),
            selection={"configuration": CHOSEN, "folds": None, "best_branch": "bm25"},
            parts=visible_parts(people, sides, labels, Seal(None, 0.05, 0.05), of),
            params=of,
        )
    )


@cache
def every():
    return tried()


def row(table_, fault, system="selected"):
    (only,) = table_.filter((pl.col("fault") == fault) & (pl.col("system") == system)).to_dicts()
    return only


def test_every_fault_is_tried_on_each_branch_and_the_pair_for_every_system():
    table_, invariants = every()
    assert set(table_["system"]) == {"bm25", "dense", "round_robin", "rrf_60", "selected"}
    assert table_.height == 5 * (1 + 3 * len(INJECTED))
    assert {name: one["violations"] for name, one in invariants.items()} == {
        name: [] for name in INVARIANTS
    }
    assert all(one["checked"] for one in invariants.values())


def test_a_slow_branch_by_hand():
    table_, _ = every()
    out = row(table_, "slow:dense")
    # q4 is left without an answer; the others are answered by bm25, which holds each on top.
    assert (out["value"], out["empties"], out["partials"], out["fallbacks"]) == (0.75, 1, 3, 3)
    assert (out["affected"], out["affected_value"], out["unmarked"]) == (4, 0.75, 0)
    alone = row(table_, "slow:dense", "dense")
    assert (alone["value"], alone["empties"]) == (0.0, 4)
    spared = row(table_, "slow:dense", "bm25")
    assert (spared["affected"], spared["delta"]) == (0, 0.0)


def test_two_branches_out_leave_nothing():
    out = row(every()[0], "error:bm25+dense")
    assert (out["value"], out["empties"], out["partials"]) == (0.0, 4, 0)


@pytest.mark.parametrize("fault", ["slow", "error", "stale", "filter_ignored", "dropout"])
def test_whatever_takes_a_list_away_leaves_the_same_answers(fault):
    table_, _ = every()
    same = ("value", "empties", "partials", "fallbacks")
    for branch in BRANCHES:
        left = row(table_, f"{fault}:{branch}")
        assert [left[k] for k in same] == [row(table_, f"slow:{branch}")[k] for k in same]


def test_a_silently_empty_branch_is_partial_only_where_it_always_lists_something():
    table_, _ = every()
    assert row(table_, "empty:dense")["partials"] == 3
    assert row(table_, "empty:bm25")["partials"] == 0


def test_lists_upside_down_cost_nothing():
    table_, _ = every()
    turned = row(table_, "wrong_order:bm25+dense")
    assert (turned["delta"], turned["affected"]) == (0.0, 0)


def test_repeated_documents_go_as_the_contract_says():
    refused, mended = every()[0], tried({"faults": ["duplicates"]}, duplicates="keep_first")[0]
    assert row(refused, "duplicates:bm25")["fallbacks"] == 2
    assert row(mended, "duplicates:bm25")["fallbacks"] == 0
    assert row(mended, "duplicates:bm25")["partials"] == 2


def test_an_intermittent_fault_strikes_the_same_calls_every_time_and_only_some():
    one, other = every()[0], tried({"faults": ["intermittent"]})[0]
    for branch in BRANCHES:
        assert row(one, f"intermittent:{branch}") == row(other, f"intermittent:{branch}")
    struck = sum(row(one, f"intermittent:{branch}")["affected"] for branch in BRANCHES)
    assert 0 < struck < 7


def blind_to(*names, monkeypatch):
    tests = accepting._tests
    nothing = pl.lit(None, pl.String())

    def blind(known):
        pairs = zip(accepting.MARKS, tests(known), strict=True)
        return [nothing if mark in names else test for mark, test in pairs]

    monkeypatch.setattr(accepting, "_tests", blind)


def broken(operations):
    return {name for name, one in tried(operations)[1].items() if one["violations"]}


def test_a_service_that_does_not_look_at_eligibility_is_caught(monkeypatch):
    blind_to("forbidden", monkeypatch=monkeypatch)
    assert {NOT_WIDER, MARKED} <= broken({"faults": ["filter_ignored"]})


def test_a_service_that_does_not_look_at_snapshots_is_caught(monkeypatch):
    blind_to("stale", monkeypatch=monkeypatch)
    assert STALE in broken({"faults": ["stale"]})


def test_a_fallback_that_widens_eligibility_is_caught(monkeypatch):
    honest = faults.answer

    def falls_back(shares, lists, out, fusion):
        """Where a branch is out it fills up with whatever there is."""
        run = honest(shares, lists, out, fusion)
        if out.is_empty():
            return run
        secret = run.group_by("query_id").agg(pl.col("rank").max() + 1)
        more = secret.with_columns(
            doc_id=pl.lit("s"), evidence_id=pl.lit("s"), score=pl.lit(0.0)
        ).select(run.columns)
        return pl.concat([run, more.cast(dict(run.schema))]).sort("query_id", "rank")

    monkeypatch.setattr(faults, "answer", falls_back)
    assert NOT_WIDER in broken({"faults": ["slow"]})


def test_a_fallback_that_reorders_or_loses_is_caught(monkeypatch):
    honest = faults.answer

    def turned(shares, lists, out, fusion):
        run = honest(shares, lists, out, fusion)
        last = pl.col("rank").max().over("query_id")
        return run if out.is_empty() else run.with_columns(rank=last + 1 - pl.col("rank"))

    def lost(shares, lists, out, fusion):
        return honest(shares, lists, out, fusion).filter(pl.col("query_id") != "q1")

    monkeypatch.setattr(faults, "answer", turned)
    assert broken({"faults": ["slow"]}) == {ONE_BRANCH}
    monkeypatch.setattr(faults, "answer", lost)
    assert NOT_LOST in broken({"faults": ["slow"]})


def test_faults_have_words_for_people():
    assert in_words("slow:bm25+dense") == "bm25 and dense slower than its budget"
    assert in_words("none") == "none"


def test_the_bounds_of_what_is_kept_are_of_the_declared_floor_and_the_selected_configuration():
    table_, _ = tried(decision={"degraded": {"floor": 0.6, "faults": {"truncated": 0.9}}})
    out = row(table_, "slow:dense")
    # Four queries found on top, then three: 0.4, 0.4, 0.4 and -0.6 above 0.6 of what was.
    assert (out["floor"], out["groups"], out["moved_groups"]) == (0.6, 4, 1)
    assert out["above"] == pytest.approx((3 * 0.4 - 0.6) / 4)
    assert out["above_low"] < out["above"] < out["above_high"]
    assert row(table_, "truncated:dense")["floor"] == 0.9
    shown = [("none", "selected"), ("slow:dense", "bm25"), ("slow:bm25+dense", "selected")]
    for fault, system in shown:
        assert (row(table_, fault, system)["floor"], row(table_, fault, system)["above"]) == (
            None,
            None,
        )


def test_answers_that_a_fault_takes_are_counted_with_their_exact_bounds():
    """1 of 4 queries: Clopper and Pearson's bounds by the beta distribution."""
    out = row(every()[0], "slow:dense")
    assert out["emptied"] == 1
    assert out["emptied_low"] == pytest.approx(stats.beta.ppf(0.05, 1, 4))
    assert out["emptied_high"] == pytest.approx(stats.beta.ppf(0.95, 2, 3))
    assert row(every()[0], "slow:dense", "dense")["emptied"] == 4
