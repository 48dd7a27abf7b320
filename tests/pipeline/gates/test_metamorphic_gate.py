"""Shares of violating queries against their limits, each system for itself."""

import pytest

from tests.findings import asked, declared


def rows(**rates):
    return {
        "asked": 50,
        "checks": [
            {
                "check": "punctuation",
                "system": system,
                "tried": 0 if rate is None else 100,
                "violations": 0 if rate is None else round(rate * 100),
                "rate": rate,
                "queries": ["q1", "q2"] if rate else [],
                "reason": "recorded lists cannot be asked again" if rate is None else None,
            }
            for system, rate in rates.items()
        ],
    }


def gate(found, **limits):
    of = declared(decision={"metamorphic": limits})
    return asked("metamorphic", of, metamorphic=found)


def test_without_a_limit_there_is_no_gate():
    assert gate(rows(bm25=0.9)) is None


@pytest.mark.parametrize(("rate", "status"), [(0.05, "pass"), (0.06, "fail"), (0.0, "pass")])
def test_a_share_above_the_limit_fails(rate, status):
    found = gate(rows(bm25=0.01, dense=rate), punctuation=0.05)
    assert (found.status, found.required, found.limit) == (status, True, 0.05)


def test_a_limit_that_is_met_exactly_is_not_missed_by_the_rounding_of_floats():
    limit = 0.62 - 0.6
    assert limit > 0.02
    assert gate(rows(bm25=limit), punctuation=0.02).status == "pass"


def test_the_worst_system_gives_the_reason_and_queries_are_named():
    found = gate(rows(bm25=0.1, dense=0.2), punctuation=0.05)
    assert found.reason == "punctuation, dense: 20 of 100 queries violate it, at most 5% may"
    assert "q1, q2" in found.next[0]


def test_a_check_that_was_tried_on_nothing_is_not_measured():
    found = gate(rows(live=None), punctuation=0.05)
    assert found.status == "not_measured"
    assert "recorded lists cannot be asked again" in found.reason
    assert "operations.probes" in found.next[0]


def test_a_system_that_cannot_be_asked_does_not_hide_another():
    assert gate(rows(live=None, bm25=0.2), punctuation=0.05).status == "fail"
