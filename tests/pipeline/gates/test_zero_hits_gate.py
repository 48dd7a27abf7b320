"""Answerable queries that end with nothing relevant."""

import pytest

from pipeline.gates import GATES
from tests.findings import BASELINE, asked, comparison, deciding, findings

LIMIT = {"zero_hits": {"tolerance": 0.05}}


def judged(bounds, limit=None):
    rows = [comparison(BASELINE, bounds, measure="ZeroHit@5")]
    return GATES["zero_hits"](findings(rows, of=deciding(limit or LIMIT)))


@pytest.mark.parametrize(
    ("rise", "status"),
    [
        ((-0.1, -0.15, -0.05), "pass"),
        ((0.0, -0.04, 0.04), "pass"),
        ((0.0, -0.1, 0.1), "unresolved"),
        ((0.1, 0.06, 0.15), "fail"),
    ],
)
def test_more_zero_hits_are_worse(rise, status):
    gate = judged(rise)
    assert (gate.status, gate.observed, gate.limit) == (status, rise[0], 0.05)


def test_is_shown_when_measured_and_changes_nothing_unless_asked():
    gate = judged((-0.1, -0.15, -0.05), limit={"zero_hits": None})
    assert (gate.status, gate.required) == ("pass", False)


def test_asked_for_and_not_measured_it_names_the_measure():
    gate = asked("zero_hits", deciding(LIMIT))
    assert (gate.status, gate.required) == ("not_measured", True)
    assert "ZeroHit@5" in gate.next[0]
    assert asked("zero_hits", deciding({})) is None
