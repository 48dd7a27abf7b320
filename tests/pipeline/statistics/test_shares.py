"""Intervals of shares by query group, and the exact paired test of two shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.statistics import paired_share_p, share_interval
from pipeline.statistics.shares import clopper_pearson, clustered_bounds


def alone(count: int) -> np.ndarray:
    return np.arange(count)


def test_three_of_twelve_single_queries_have_scipys_exact_interval() -> None:
    hits = np.array([1.0] * 3 + [0.0] * 9)
    found = share_interval(hits, alone(12), 0.05)
    # Both one-sided 95 % bounds together are a two-sided 90 % interval.
    exact = stats.binomtest(3, 12).proportion_ci(0.9, method="exact")
    assert found.value == 0.25
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def test_no_zero_hit_in_thirty_queries_is_not_none_ever() -> None:
    # The rule of three: 1 − .05^(1/30).
    found = share_interval(np.zeros(30), alone(30), 0.05)
    assert (found.low, found.high) == pytest.approx((0.0, 1 - 0.05 ** (1 / 30)))


def test_queries_that_hold_together_count_as_one() -> None:
    # Ten groups of three equal queries say as much as ten queries, not as thirty.
    hits = np.repeat([1.0, 1, 1, 0, 0, 0, 0, 0, 0, 0], 3)
    together = share_interval(hits, np.repeat(alone(10), 3), 0.05)
    ten = share_interval(hits[::3], alone(10), 0.05)
    thirty = share_interval(hits, alone(30), 0.05)
    assert together.low < ten.low < thirty.low  # type: ignore[operator]
    assert together.high > ten.high > thirty.high  # type: ignore[operator]
    assert together.value == pytest.approx(ten.value)


def test_nothing_in_five_groups_of_two_is_judged_by_groups() -> None:
    found = share_interval(np.zeros(10), np.repeat(alone(5), 2), 0.05)
    five = share_interval(np.zeros(5), alone(5), 0.05)
    assert found.high > five.high  # type: ignore[operator]


def test_one_group_of_several_queries_gives_no_interval() -> None:
    found = share_interval(np.array([0.0, 1.0]), np.zeros(2, dtype=int), 0.05)
    assert (found.value, found.low, found.high, found.groups) == (0.5, None, None, 1)
    assert share_interval(np.empty(0), np.empty(0, dtype=int), 0.05).value is None


def test_a_ratio_of_items_is_bounded_by_query_group() -> None:
    # Two queries, 9 of 10 and 1 of 10 judged: twenty items that say as much as a few.
    low, high = clustered_bounds(0.5, 0.4, 20.0, 2, 0.05)
    assert low is not None
    assert high is not None
    assert low < 0.05 < 0.95 < high


@given(st.integers(0, 20), st.integers(1, 20), st.sampled_from([0.01, 0.05, 0.2]))
def test_exact_bounds_are_scipys(hits: int, more: int, alpha: float) -> None:
    trials = hits + more
    exact = stats.binomtest(hits, trials).proportion_ci(1 - 2 * alpha, method="exact")
    assert clopper_pearson(hits, trials, alpha) == pytest.approx((exact.low, exact.high))


def test_single_queries_have_mcnemars_exact_p() -> None:
    moved = np.array([1.0] * 8 + [-1.0] * 2 + [0.0] * 30)
    assert paired_share_p(moved, alone(40)) == pytest.approx(stats.binomtest(8, 10).pvalue)


def test_no_change_is_no_evidence() -> None:
    assert paired_share_p(np.zeros(5), alone(5)) == 1.0
    assert paired_share_p(np.array([1.0, -1.0]), alone(2)) == 1.0


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([-1.0, 0.0, 1.0])), min_size=2))
def test_groups_are_turned_round_whole_as_scipy_does_it(rows: list[tuple[int, float]]) -> None:
    groups = np.array([group for group, _ in rows])
    moved = np.array([value for _, value in rows])
    sums = np.bincount(groups, weights=moved)[np.unique(groups)]
    if len(sums) < 2:
        return
    every = stats.permutation_test(
        (sums,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert paired_share_p(moved, groups) == pytest.approx(min(1.0, every.pvalue))


def test_one_group_cannot_carry_a_result() -> None:
    # Six wins, all of one conversation: a coin's toss.
    assert paired_share_p(np.ones(6), np.zeros(6, dtype=int)) == 1.0
    assert paired_share_p(np.ones(6), alone(6)) == pytest.approx(2 / 64)
