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


def test_calls_that_give_no_bound_are_told_so_and_more_of_the_same_kind_are_asked_for():
    crowd = row(90.0, system="selected", milliseconds=90.0, callers=16)
    found = table(LATENCY, [crowd | {"low": 70.0, "high": None, "calls": 480}])
    gate = gate_of({"milliseconds": 100.0, "callers": 16}, found=found)
    assert gate.status == "unresolved"
    assert gate.reason.endswith("480 calls that depend on each other give no upper bound")
    assert "rankgate time --loaded" in gate.next[0]
    assert gate_of({"milliseconds": 60.0, "callers": 16}, found=found).status == "fail"


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


LIVE, TAKEN = {"kind": "bm25"}, {"kind": "recorded", "run": "x"}


def limited(bm25, dense, **limit):
    """Limited parameters of two branches of these kinds."""
    branches = {"bm25": bm25, "dense": dense}
    return params(branches, decision={"latency": limit or {"milliseconds": 50.0}})


def test_without_times_of_branches_that_run_here_the_way_to_them_is_named():
    gate = asked("latency", limited(LIVE, LIVE))
    assert (gate.status, gate.reason) == ("not_measured", "no times are recorded")
    assert "`rankgate time`" in gate.next[0]


def test_recorded_runs_that_say_no_time_are_named():
    gate = asked("latency", limited(TAKEN, TAKEN))
    assert gate.status == "not_measured"
    assert gate.reason.startswith("the recorded runs bm25, dense say no milliseconds (took_ms)")
    assert "took_ms" in gate.next[0]
    one = said_by("bm25").to_dicts()
    gate = asked("latency", limited(TAKEN, TAKEN), latency=table(LATENCY, one))
    assert gate.reason.startswith("the recorded run dense says no milliseconds")


def test_a_branch_that_runs_here_beside_a_recorded_one_makes_no_time_of_the_fusion():
    gate = asked("latency", limited(TAKEN, LIVE), latency=said_by("bm25"))
    assert gate.status == "not_measured"
    assert gate.reason.startswith("bm25 is recorded and dense runs here")


def said_by(*branches):
    rows = [
        row(30.0, system=name, milliseconds=30.0, mode="recorded") | {"callers": None}
        for name in branches
    ]
    return table(LATENCY, rows)


UNBOUND = {"callers": None, "low": None, "high": None}


def recorded(value, **more):
    """As `operations` gives them: the order of recorded calls is unknown, so there is no bound."""
    known = {"system": "selected", "milliseconds": value, "mode": "recorded"}
    waited = row(value, **{**known, "component": "retrieval", **UNBOUND, **more})
    return table(LATENCY, [waited, *said_by("bm25", "dense").to_dicts()])


def test_recorded_branches_beyond_the_limit_leave_it_unresolved():
    gate = gate_of({"milliseconds": 50.0}, found=recorded(60.0))
    assert (gate.status, gate.observed, gate.limit) == ("unresolved", 60.0, 50.0)
    assert gate.reason == (
        "p95 of the slowest recorded branch is 60 ms; the limit is 50; 200 recorded calls, whose "
        "order nobody wrote down, give no bound"
    )
    assert gate.next[0].startswith("Time the fusion where it is served")


def test_recorded_branches_within_the_limit_never_keep_it():
    gate = gate_of({"milliseconds": 50.0}, found=recorded(40.0))
    assert gate.status == "not_measured"
    assert gate.reason == (
        "p95 of the slowest recorded branch is 40 ms; the limit is 50; 200 recorded calls, whose "
        "order nobody wrote down, give no bound: that is how long the fusion waits at the least; "
        "what fusing and fetching add was measured by nobody"
    )
    assert gate.next[0].startswith("Time the fusion where it is served")


def test_recorded_branches_as_slow_as_the_limit_leave_it_open():
    assert gate_of({"milliseconds": 40.0}, found=recorded(40.0)).status == "not_measured"


def test_too_few_recorded_calls_are_told():
    gate = gate_of({"milliseconds": 50.0, "percentile": 99}, found=recorded(60.0))
    assert gate.status == "not_measured"
    assert gate.reason.startswith("p99 of the slowest recorded branch needs 1000 calls")


def test_a_ratio_of_recorded_milliseconds_can_lie_beyond_its_limit_too():
    slow = row(3.0, system="selected", baseline="dense", ratio=3.0, mode="recorded", **UNBOUND)
    ratio = table(LATENCY_RATIOS, [slow | {"component": "retrieval"}])
    of = deciding({"latency": {"ratio": 2.0}})
    gate = asked("latency", of, latency=recorded(90.0), latency_ratios=ratio)
    assert (gate.status, gate.observed) == ("unresolved", 3.0)
    assert "times dense's" in gate.reason
    of = deciding({"latency": {"ratio": 4.0}})
    gate = asked("latency", of, latency=recorded(90.0), latency_ratios=ratio)
    assert gate.status == "not_measured"
    assert "is 3 times dense's" in gate.reason


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
