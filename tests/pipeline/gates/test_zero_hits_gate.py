"""Answerable queries that end with nothing relevant."""

import pytest
from scipy.stats import binomtest

from pipeline.gates import GATES
from pipeline.gates.zero_hits import rise_at_most
from tests.findings import BASELINE, asked, comparison, deciding, findings

LIMIT = {"zero_hits": {"tolerance": 0.05}}


def judged(bounds, limit=None, *, differing=40, groups=40):
    rows = [comparison(BASELINE, bounds, measure="ZeroHit@5", groups=groups)]
    made = findings(rows, of=deciding(limit or LIMIT), differing=differing)
    return GATES["zero_hits"](made)


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


# 1 - 0.05^(1/40): what 40 query groups can rule out when none of them turned.
NONE_OF_40 = 0.0722


def test_the_same_hits_everywhere_pass_a_tolerance_that_as_many_groups_can_rule_out():
    assert rise_at_most(0, 40, 0.05) == pytest.approx(NONE_OF_40, abs=5e-5)
    for tolerance, status in ((0.08, "pass"), (0.07, "unresolved")):
        limit = {"zero_hits": {"tolerance": tolerance}}
        gate = judged((0.0, 0.0, 0.0), limit, differing=0)
        assert gate.status == status
        assert "counted exactly: a rise of at most 0.0722" in gate.reason


def test_few_groups_that_differ_are_counted_exactly():
    # 2 of 40 turned to a zero hit: at a share of 0.1492, 2 or fewer of 40 have probability 0.05.
    limit = {"zero_hits": {"tolerance": 0.15}}
    gate = judged((0.05, -0.01, 0.11), limit, differing=2)
    assert gate.status == "pass"
    assert gate.evidence[0]["exact_high"] == pytest.approx(0.1492, abs=5e-5)
    assert judged((0.05, -0.01, 0.11), {"zero_hits": {"tolerance": 0.14}}, differing=2).status == (
        "unresolved"
    )


def test_a_fall_that_no_outcome_could_show_is_told_in_zero_hits():
    row = comparison(BASELINE, (0.01, -0.02, 0.04), measure="ZeroHit@5") | {"highest_low": 0.0}
    gate = GATES["zero_hits"](findings([row], of=deciding({"zero_hits": {"tolerance": 0.0}})))
    assert gate.status == "unresolved"
    assert gate.reason.endswith(
        "unresolvable: even if no query were left with a zero hit, the upper bound of the rise "
        "would be 0.0000, and it must be under 0"
    )


def test_a_tolerance_of_0_passes_only_where_zero_hits_surely_fall():
    limit = {"zero_hits": {"tolerance": 0.0}}
    assert judged((-0.1, -0.15, -0.05), limit).status == "pass"
    gate = judged((0.0, 0.0, 0.0), limit, differing=0)
    assert gate.status == "unresolved"
    assert "decision.zero_hits.tolerance: 0.01" in gate.next[0]


@pytest.mark.parametrize(("lost", "groups"), [(0, 40), (3, 40), (17, 300), (40, 40)])
def test_the_exact_bound_is_that_of_scipys_binomial_test(lost, groups):
    interval = binomtest(lost, groups).proportion_ci(confidence_level=0.90, method="exact")
    assert rise_at_most(lost, groups, 0.05) == pytest.approx(interval.high)


def test_uneven_groups_weigh_more_than_their_share():
    assert rise_at_most(1, 40, 0.05, unevenness=2.0) == pytest.approx(2 * rise_at_most(1, 40, 0.05))
    assert rise_at_most(30, 40, 0.05, unevenness=4.0) == 1.0
