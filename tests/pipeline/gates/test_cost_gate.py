"""What a query asks for beside time, held against declared limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.tables import COST
from tests.findings import asked, deciding
from tests.rows import table


def counted(source="lists", quantity="candidates", **systems):
    rows = [
        {"system": name, "quantity": quantity, "source": source, "value": value, "queries": 40}
        for name, value in systems.items()
    ]
    return table(COST, rows)


def gate_of(limit, **more):
    return asked("cost", deciding({"cost": limit}), **more)


@pytest.mark.parametrize(("most", "status"), [(200, "pass"), (199.5, "fail")])
def test_the_mean_per_query(most, status):
    cost = counted(selected=200.0, dense=100.0)
    gate = gate_of({"candidates": {"most": most}}, cost=cost)
    assert (gate.status, gate.observed, gate.required) == (status, 200.0, True)
    assert gate.reason == (f"candidates fetched from indexes: 200 per query; the limit is {most:g}")


@pytest.mark.parametrize(("ratio", "status"), [(2, "pass"), (1.9, "fail")])
def test_the_ratio_to_the_branch_behind_the_comparator(ratio, status):
    cost = counted(selected=200.0, dense=100.0, bm25=10.0)
    gate = gate_of({"candidates": {"ratio": ratio}}, cost=cost)
    assert (gate.status, gate.observed) == (status, 2.0)


def test_one_broken_limit_fails_the_gate():
    cost = table(
        COST,
        [
            *counted(selected=200.0, dense=100.0).to_dicts(),
            *counted(quantity="requests", selected=2.0, dense=1.0).to_dicts(),
        ],
    )
    limits = {"candidates": {"most": 500}, "requests": {"most": 1}}
    gate = gate_of(limits, cost=cost)
    assert (gate.status, gate.observed, gate.limit) == ("fail", 2.0, 1.0)


def test_what_was_counted_while_it_was_timed_goes_before_stored_lists():
    cost = table(
        COST,
        [
            *counted(selected=200.0, dense=100.0).to_dicts(),
            *counted(source="record", selected=150.0, dense=100.0).to_dicts(),
        ],
    )
    gate = gate_of({"candidates": {"most": 180}}, cost=cost)
    assert (gate.status, gate.observed) == ("pass", 150.0)
    assert gate.evidence[0]["source"] == "counted by rankgate time"


def test_a_ratio_is_of_one_source_only():
    cost = table(
        COST,
        [
            *counted(selected=200.0, dense=100.0).to_dicts(),
            *counted(source="record", selected=150.0).to_dicts(),  # dense is recorded
        ],
    )
    assert gate_of({"candidates": {"ratio": 2}}, cost=cost).observed == 2.0


def test_a_collection_without_text_has_no_tokens_to_count():
    gate = gate_of({"context_tokens": {"most": 500}}, cost=counted(selected=200.0))
    assert gate.status == "not_measured"
    assert "the collection has no text" in gate.reason
    assert "decision.cost.context_tokens" in gate.next[0]


def test_a_comparator_that_asks_for_nothing_has_no_ratio():
    cost = counted(selected=200.0, dense=0.0)
    assert gate_of({"candidates": {"ratio": 2}}, cost=cost).status == "not_measured"


def test_needs_no_opening_and_says_nothing_unasked():
    cost = counted(selected=200.0, dense=100.0)
    assert gate_of({"candidates": {"most": 300}}, cost=cost, sealed=True).status == "pass"
    assert asked("cost", deciding({}), cost=cost) is None


@pytest.mark.parametrize(
    "limit", [{}, {"candidates": {}}, {"percentile": 95, "milliseconds": 5}, {"requests": 2}]
)
def test_a_limit_of_nothing_is_refused(limit):
    with pytest.raises(ParameterError, match=r"decision\.cost"):
        deciding({"cost": limit})


@given(st.floats(1, 100), st.floats(0, 100), st.floats(1, 200))
def test_asking_for_less_is_never_a_worse_verdict(less, more, limit):
    def status(value):
        return gate_of({"candidates": {"most": limit}}, cost=counted(selected=value)).status

    assert ("fail", "pass").index(status(less)) >= ("fail", "pass").index(status(less + more))
