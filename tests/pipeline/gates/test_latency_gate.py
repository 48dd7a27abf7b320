"""A percentile of the end-to-end time, absolute or as a ratio."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates import GATES
from pipeline.tables import LATENCY
from tests.findings import asked, deciding, findings
from tests.rows import params, table


def times(**systems):
    rows = [
        {
            "system": system,
            "mode": "warm",
            "percentile": share,
            "milliseconds": value,
            "calls": 200,
        }
        for system, value in systems.items()
        for share in (50, 95)
    ]
    return table(LATENCY, rows)


@pytest.mark.parametrize(("limit", "status"), [(20.0, "pass"), (19.9, "fail")])
def test_milliseconds(limit, status):
    of = deciding({"latency": {"milliseconds": limit}})
    gate = asked("latency", of, latency=times(selected=20.0))
    assert (gate.status, gate.observed, gate.required) == (status, 20.0, True)


@pytest.mark.parametrize(("limit", "status"), [(4.0, "pass"), (3.9, "fail")])
def test_ratio_to_the_branch_behind_the_comparator(limit, status):
    of = deciding({"latency": {"ratio": limit}})
    gate = asked("latency", of, latency=times(selected=20.0, dense=5.0, bm25=1.0))
    assert (gate.status, gate.observed) == (status, 4.0)


def test_without_a_best_branch_the_worst_ratio_counts():
    of = deciding({"latency": {"ratio": 5.0}})
    made = findings(of=of, latency=times(selected=20.0, dense=5.0, bm25=2.0))
    gate = GATES["latency"](replace(made, selection={**made.selection, "best_branch": None}))
    assert (gate.status, gate.observed) == ("fail", 10.0)


def test_too_few_calls_for_the_percentile():
    of = deciding({"latency": {"milliseconds": 50.0, "percentile": 99}})
    gate = asked("latency", of, latency=times(selected=20.0))
    assert gate.status == "unresolved"
    assert "1000 calls" in gate.reason


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


def test_needs_no_opening():
    of = deciding({"latency": {"milliseconds": 50.0}})
    assert asked("latency", of, latency=times(selected=20.0), sealed=True).status == "pass"


def test_unasked_it_is_shown_without_a_verdict():
    gate = asked("latency", deciding({}), latency=times(selected=20.0))
    assert (gate.status, gate.required, gate.observed) == ("not_applicable", False, 20.0)
    assert asked("latency", deciding({})) is None


@given(st.floats(1, 100), st.floats(0, 100), st.floats(1, 200))
def test_being_faster_is_never_a_worse_verdict(fast, slower, limit):
    of = deciding({"latency": {"milliseconds": limit}})

    def status(value):
        return asked("latency", of, latency=times(selected=value)).status

    assert ("fail", "pass").index(status(fast)) >= ("fail", "pass").index(status(fast + slower))


def test_a_ratio_that_is_met_exactly_is_not_missed_by_the_rounding_of_floats():
    assert 0.56 / 0.8 > 0.7
    of = deciding({"latency": {"ratio": 0.7}})
    assert asked("latency", of, latency=times(selected=0.56, dense=0.8, bm25=1.0)).status == "pass"
