"""A named slice may veto."""

import pytest

from pipeline.gates import GATES
from tests.findings import BASELINE, GAIN, LOSS, UNSURE, comparison, deciding, findings
from tests.rows import queries

LIMIT = {"slices": {"exact": {"tolerance": 0.05}}}
NAMES = [f"q{number:02d}" for number in range(40)]


def judged(bounds, *, members=40, limit=None, groups=40):
    named = {name: ["exact"] for name in NAMES[:members]}
    rows = [comparison(BASELINE, bounds, slice_name="exact", groups=groups)] if bounds else []
    asks = queries(dict.fromkeys(NAMES, "?"), slices=named)
    return GATES["slices"](findings(rows, of=deciding(limit or LIMIT), queries=asks))


@pytest.mark.parametrize(
    ("bounds", "status"), [(GAIN, "pass"), (LOSS, "fail"), (UNSURE, "unresolved")]
)
def test_vetoes_a_loss_beyond_the_tolerance(bounds, status):
    gate = judged(bounds)
    assert (gate.status, gate.required, gate.limit) == (status, True, -0.05)
    assert "exact" in gate.reason


def test_is_not_there_when_no_slice_is_named():
    assert GATES["slices"](findings()) is None


def test_a_slice_below_the_minimum_is_left_open():
    gate = judged(None, members=12)
    assert gate.status == "unresolved"
    assert "12 test queries" in gate.reason
    assert "at least 8 more" in gate.next[0]


def test_a_slice_of_enough_queries_that_nobody_judged_asks_for_judgments():
    gate = judged(None, members=30)
    assert gate.status == "unresolved"
    assert "rankgate judge export" in gate.next[0]


def test_a_slice_that_no_query_has_is_a_gap():
    assert judged(None, members=0).status == "not_measured"


def test_the_worst_slice_decides():
    limit = {"slices": {"exact": {"tolerance": 0.05}, "short": {"tolerance": 0.05}}}
    rows = [
        comparison(BASELINE, GAIN, slice_name="exact"),
        comparison(BASELINE, LOSS, slice_name="short"),
    ]
    asks = queries(dict.fromkeys(NAMES, "?"), slices={name: ["exact", "short"] for name in NAMES})
    gate = GATES["slices"](findings(rows, of=deciding(limit), queries=asks))
    assert gate.status == "fail"
    assert "short" in gate.reason
    assert [part["status"] for part in gate.evidence] == ["pass", "fail"]
