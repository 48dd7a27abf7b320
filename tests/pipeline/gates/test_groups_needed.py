"""How many query groups would settle a comparison, and what is said where none would."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates.groups_needed import needed, needed_evidence
from pipeline.gates.interval import Interval
from pipeline.gates.wording import more_groups, why_unresolved
from pipeline.statistics import groups_needed
from tests.findings import findings

T = 1.6848751  # one-sided 5 %, 39 degrees of freedom


def interval(delta: float, error: float = 0.02, **more: object) -> Interval:
    bounds = {"low": delta - T * error, "high": delta + T * error}
    return Interval(
        **({"baseline": "bm25", "delta": delta, "queries": 40, "groups": 40} | bounds),  # type: ignore[arg-type]
        groups_with_a_difference=40,
        standard_error=error,
        **more,  # type: ignore[arg-type]
    )


def test_both_ends_of_the_interval_are_asked_beside_the_difference() -> None:
    found = needed(findings(), interval(0.02), 0.0)
    assert found.at_low is None  # a loss never exceeds a margin of 0
    assert found.at_delta == groups_needed(0.02, 0.02, 40, 0.05)
    assert found.at_high == groups_needed(0.02 + T * 0.02, 0.02, 40, 0.05)
    assert found.at_high is not None and found.at_high < (found.at_delta or 0)  # noqa: PT018


def test_a_margin_is_taken_off_the_gain() -> None:
    with_margin = needed(findings(), interval(0.03), 0.01).at_delta
    assert with_margin == groups_needed(0.02, 0.02, 40, 0.05)


def test_a_difference_next_to_the_limit_is_said_to_need_no_realistic_number() -> None:
    said = more_groups(findings(), interval(0.0001), 0.0)
    assert said.startswith("No realistic number of query groups (up to 2,000) settles")
    best = needed(findings(), interval(0.0001), 0.0).at_high
    assert (
        f"params.yaml ({best} in all would be enough if the true difference were the best" in said
    )
    assert needed(findings(), interval(0.0001), 0.0).total is None


def test_a_real_number_is_said_with_the_one_at_the_better_end() -> None:
    said = more_groups(findings(), interval(0.02), 0.0)
    assert "about 209 more query groups (it has 40)" in said
    # At the better end 35 groups would do, and 40 are there: that tells nobody anything.
    assert "in all would be enough" not in said


def test_the_number_at_the_better_end_is_said_where_it_is_more_than_there_are() -> None:
    found = needed(findings(), interval(0.01), 0.0)
    said = more_groups(findings(), interval(0.01), 0.0)
    assert 40 < (found.at_high or 0) < (found.total or 0)
    assert f"({found.at_high} in all would be enough if the true difference" in said


def test_without_an_interval_groups_that_differ_are_asked_for() -> None:
    same = Interval("bm25", 0.0, 0.0, 0.0, 10, 10, 0)
    assert "Give the test 20 more query groups on which bm25 differs" in more_groups(
        findings(), same, 0.0
    )


def test_a_baseline_that_leaves_no_room_is_unresolvable() -> None:
    one = interval(0.005, highest_low=0.008)
    assert one.unresolvable(0.01)
    assert why_unresolved(one, 0.01) == (
        "unresolvable: even the best result imaginable on these queries would prove a gain of no "
        "more than 0.0080, and more than 0.01 is asked for"
    )
    assert needed_evidence(findings(), one, 0.01)["unresolvable"] is True
    assert not interval(0.005, highest_low=0.3).unresolvable(0.01)
    assert not interval(0.005).unresolvable(0.01)


@given(st.floats(-0.3, 0.3), st.floats(0.005, 0.1), st.floats(-0.05, 0.05))
def test_the_better_end_never_needs_more(delta: float, error: float, limit: float) -> None:
    found = needed(findings(), interval(delta, error), limit)
    if found.at_delta is not None and found.at_high is not None:
        assert found.at_high <= found.at_delta
    assert found.total is None or found.total > 40


@pytest.mark.parametrize("groups", [0, 1])
def test_no_group_says_nothing_of_how_many(groups: int) -> None:
    empty = Interval("bm25", None, None, None, groups, groups, 0)
    assert needed(findings(), empty, 0.0).at_delta is None
