"""Verdicts on a paired difference."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates.gate import SEVERITY
from pipeline.gates.interval import Interval, at_most, below, verdict

WORSE_TO_BETTER = ("fail", "unresolved", "pass")


def interval(
    low: float | None, high: float | None, groups: int = 40, differing: int = 40
) -> Interval:
    delta = None if low is None or high is None else (low + high) / 2
    return Interval("bm25", delta, low, high, groups, groups, differing)


@pytest.mark.parametrize(
    ("low", "high", "limit", "expected"),
    [
        (0.011, 0.05, 0.01, "pass"),
        (0.01, 0.05, 0.01, "unresolved"),
        (-0.02, 0.01, 0.01, "fail"),
        (-0.02, 0.011, 0.01, "unresolved"),
        (-0.02, -0.01, 0.0, "fail"),
        (-0.009, 0.02, -0.01, "pass"),
        (None, None, 0.0, "unresolved"),
    ],
)
def test_passes_above_the_limit_and_fails_under_it(low, high, limit, expected):
    assert verdict(interval(low, high), limit) == expected


def test_a_system_against_itself_never_passes_and_shows_no_gain():
    assert verdict(interval(0.0, 0.0, differing=0), 0.0) == "fail"
    assert verdict(interval(0.0, 0.0, differing=0), -0.05) == "unresolved"


def test_the_same_gain_everywhere_is_no_evidence_of_how_sure_it_is():
    assert verdict(interval(0.1, 0.1), 0.0) == "unresolved"


@pytest.mark.parametrize(
    ("groups", "differing", "expected"),
    [(29, 29, "unresolved"), (30, 14, "unresolved"), (30, 15, "pass")],
)
def test_few_groups_cannot_pass_however_good_the_interval(groups, differing, expected):
    assert verdict(interval(0.1, 0.2, groups, differing), 0.0) == expected


def test_few_groups_can_fail():
    assert verdict(interval(-0.2, -0.1, 5, 5), 0.0) == "fail"


def test_the_same_difference_in_a_few_groups_settles_nothing():
    assert verdict(interval(0.0, 0.0, groups=29, differing=0), 0.0) == "unresolved"
    assert verdict(interval(-0.1, -0.1, groups=2), 0.0) == "unresolved"
    assert verdict(interval(-0.1, -0.1, groups=30), 0.0) == "fail"


def test_rounding_forgives_limits_of_the_form_at_most_and_never_a_strict_gain():
    assert 0.7 - 0.6 < 0.1
    assert at_most(0.1, 0.7 - 0.6)
    assert 0.62 - 0.60 > 0.02
    assert at_most(0.62 - 0.60, 0.02)
    assert verdict(interval(-0.1, 1e-10), 0.0) == "fail"
    assert verdict(interval(0.0, 0.2), 0.0) == "unresolved"
    assert verdict(interval(-1e-10, 0.2), 0.0) == "unresolved"


def test_a_slice_at_its_tolerance_has_not_failed_yet():
    assert verdict(interval(-0.1, -0.05), -0.05, fails=below) == "unresolved"
    assert verdict(interval(-0.1, -0.0501), -0.05, fails=below) == "fail"


def test_a_slice_that_meets_its_tolerance_exactly_is_not_failed_by_the_rounding_of_floats():
    assert 0.6 - 0.65 < -0.05
    assert verdict(interval(-0.1, 0.6 - 0.65), -0.05, fails=below) == "unresolved"
    assert verdict(interval(-0.1, -0.05 - 1e-8), -0.05, fails=below) == "fail"


def test_nothing_fails_that_unjudged_evidence_could_still_lift():
    assert verdict(interval(-0.06, 0.007), 0.01, best_high=0.019) == "unresolved"
    assert verdict(interval(-0.06, 0.007), 0.01, best_high=0.009) == "fail"
    assert verdict(interval(-0.06, 0.007), 0.01, best_high=math.inf) == "unresolved"


@given(
    low=st.floats(-1, 1),
    width=st.floats(0.001, 1),
    rise=st.floats(0, 1),
    limit=st.floats(-1, 1),
    groups=st.integers(1, 60),
    fails=st.sampled_from([at_most, below]),
)
def test_more_gain_is_never_a_worse_verdict(low, width, rise, limit, groups, fails):
    before = verdict(interval(low, low + width, groups), limit, fails=fails)
    after = verdict(interval(low + rise, low + rise + width, groups), limit, fails=fails)
    assert WORSE_TO_BETTER.index(after) >= WORSE_TO_BETTER.index(before)


@given(
    low=st.floats(-1, 1),
    width=st.floats(0.001, 1),
    limit=st.floats(-1, 1),
    stricter=st.floats(0, 1),
)
def test_a_stricter_limit_is_never_a_better_verdict(low, width, limit, stricter):
    one = interval(low, low + width)
    lenient, strict = verdict(one, limit), verdict(one, limit + stricter)
    assert WORSE_TO_BETTER.index(strict) <= WORSE_TO_BETTER.index(lenient)


@given(low=st.floats(-1, 1), width=st.floats(0.001, 1))
def test_turned_round_twice_it_is_the_same(low, width):
    one = interval(low, low + width)
    assert one.turned("nDCG@5") == one
    assert one.turned("ZeroHit@5").turned("ZeroHit@5") == one
    assert one.turned("ZeroHit@5").low == -(low + width)


def test_every_status_has_a_severity():
    assert set(SEVERITY) == {"pass", "fail", "unresolved", "not_measured", "not_applicable"}
