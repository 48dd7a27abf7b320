"""Percentiles of the end-to-end time, absolute and as ratios, warm and cold."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates import GATES
from pipeline.tables import LATENCY, LATENCY_RATIOS
from tests.findings import asked, deciding, findings
from tests.rows import params, table


def row(value, spread=0.0, **more):
    shared = {"component": "end_to_end", "mode": "warm", "callers": 1, "percentile": 95}
    bounds = {"low": value * (1 - spread), "high": value * (1 + spread), "calls": 200}
    return {**shared, **bounds, **more}


def times(spread=0.0, **systems):
    rows = [
        row(value, spread, system=system, milliseconds=value, percentile=share)
        for system, value in systems.items()
        for share in (50, 95)
    ]
    return table(LATENCY, rows)


def ratios(spread=0.0, **baselines):
    rows = [
        row(value, spread, system="selected", baseline=name, ratio=value, percentile=share)
        for name, value in baselines.items()
        for share in (50, 95)
    ]
    return table(LATENCY_RATIOS, rows)


def gate_of(limit, spread=0.0, found=None, baselines=None, **more):
    return asked(
        "latency",
        deciding({"latency": limit}),
        latency=times(spread, selected=20.0) if found is None else found,
        latency_ratios=ratios(spread, **(baselines or {})),
        **more,
    )


@pytest.mark.parametrize(
    ("limit", "spread", "status"),
    [
        (20.0, 0.0, "pass"),
        (19.9, 0.0, "fail"),
        (22.0, 0.1, "pass"),  # up to 22
        (21.9, 0.1, "unresolved"),
        (18.0, 0.1, "unresolved"),  # from 18
        (17.9, 0.1, "fail"),
    ],
)
def test_milliseconds(limit, spread, status):
    gate = gate_of({"milliseconds": limit}, spread)
    assert (gate.status, gate.observed, gate.required) == (status, 20.0, True)
    assert bool(gate.next) == (status != "pass")


def test_the_reason_in_plain_words():
    gate = gate_of({"milliseconds": 21.0}, 0.1)
    assert gate.reason == "warm p95 is 20 ms (18 to 22); the limit is 21, too near to tell"
    assert "rankgate time" in gate.next[0]


@pytest.mark.parametrize(("limit", "status"), [(4.0, "pass"), (3.9, "fail")])
def test_ratio_to_the_branch_behind_the_comparator(limit, status):
    gate = gate_of({"ratio": limit}, baselines={"dense": 4.0, "bm25": 20.0})
    assert (gate.status, gate.observed) == (status, 4.0)
    assert "times dense's" in gate.reason


def test_without_a_best_branch_the_worst_ratio_counts():
    made = findings(
        of=deciding({"latency": {"ratio": 5.0}}),
        latency=times(selected=20.0),
        latency_ratios=ratios(dense=4.0, bm25=10.0),
    )
    gate = GATES["latency"](replace(made, selection={**made.selection, "best_branch": None}))
    assert (gate.status, gate.observed) == ("fail", 10.0)


def test_a_recorded_comparator_makes_no_ratio_with_what_was_measured_here():
    gate = gate_of({"ratio": 5.0})  # all branches of these findings are recorded
    assert gate.status == "not_measured"
    assert "the two make no ratio" in gate.reason


def test_both_limits_must_hold():
    both = {"milliseconds": 30.0, "ratio": 2.0}
    assert gate_of(both, baselines={"dense": 4.0}).status == "fail"
    assert gate_of(both, baselines={"dense": 1.5}).status == "pass"


def test_too_few_calls_for_the_percentile():
    gate = gate_of({"milliseconds": 50.0, "percentile": 99})
    assert gate.status == "unresolved"
    assert "1000 calls" in gate.reason
    assert "200 are there" in gate.reason


def test_several_callers_are_judged_by_their_own_calls():
    crowd = row(90.0, system="selected", milliseconds=90.0, callers=16)
    found = table(LATENCY, [*times(selected=20.0).to_dicts(), crowd])
    assert gate_of({"milliseconds": 50.0}, found=found).status == "pass"
    assert gate_of({"milliseconds": 50.0, "callers": 16}, found=found).status == "fail"
    four = gate_of({"milliseconds": 50.0, "callers": 4}, found=found)
    assert (four.status, four.reason) == ("not_measured", "no calls of 4 callers are recorded")


def test_first_calls_have_a_limit_of_their_own():
    limit = {"milliseconds": 50.0, "cold": {"milliseconds": 300.0}}
    first = row(400.0, system="selected", milliseconds=400.0, mode="cold", percentile=50, calls=20)
    found = table(LATENCY, [*times(selected=20.0).to_dicts(), first])
    gate = gate_of(limit, found=found)
    assert (gate.status, gate.observed, gate.limit) == ("fail", 400.0, 300.0)
    assert gate.reason.startswith("cold p50 is 400 ms")
    gate = gate_of(limit)
    assert (gate.status, gate.observed) == ("not_measured", None)
    assert "fresh processes" in gate.reason


@pytest.mark.parametrize(
    ("kind", "step"), [("bm25", "`rankgate time`"), ("recorded", "decision.latency to null")]
)
def test_without_times_the_way_to_them_is_named(kind, step):
    run = {"run": "bm25"} if kind == "recorded" else {}
    branches = {"bm25": {"kind": kind, **run}, "dense": {"kind": "dense"}}
    of = params(branches, decision={"latency": {"milliseconds": 50.0}})
    gate = asked("latency", of)
    assert (gate.status, gate.reason) == ("not_measured", "no times are recorded")
    assert step in gate.next[0]


def recorded(value):
    known = row(
        value, system="selected", milliseconds=value, mode="recorded", component="retrieval"
    )
    return table(LATENCY, [known | {"callers": None}])


def test_recorded_branches_can_break_a_limit_but_never_keep_it():
    gate = gate_of({"milliseconds": 50.0}, found=recorded(60.0))
    assert gate.status == "fail"
    assert gate.reason.startswith("p95 of the slowest recorded branch is 60 ms")
    # What fusion adds to 40 ms is not known.
    assert gate_of({"milliseconds": 50.0}, found=recorded(40.0)).status == "not_measured"


def test_needs_no_opening():
    assert gate_of({"milliseconds": 50.0}, sealed=True).status == "pass"


def test_unasked_it_is_shown_without_a_verdict():
    gate = asked("latency", deciding({}), latency=times(selected=20.0))
    assert (gate.status, gate.required, gate.observed) == ("not_applicable", False, 20.0)
    assert asked("latency", deciding({})) is None


@given(st.floats(1, 100), st.floats(0, 100), st.floats(1, 200), st.floats(0, 0.5))
def test_being_faster_is_never_a_worse_verdict(fast, slower, limit, spread):
    def status(value):
        return gate_of({"milliseconds": limit}, found=times(spread, selected=value)).status

    order = ("fail", "unresolved", "pass")
    assert order.index(status(fast)) >= order.index(status(fast + slower))


def test_a_ratio_that_is_met_exactly_is_not_missed_by_the_rounding_of_floats():
    assert 0.56 / 0.8 > 0.7
    assert gate_of({"ratio": 0.7}, baselines={"dense": 0.56 / 0.8}).status == "pass"
