"""How surely a share is kept."""

import numpy as np
import pytest
from scipy import stats

from pipeline.statistics import compare_differences, kept_above, named_generator, share_interval


def kept(left, whole, floor, *, groups=None, alpha=0.05, resamples=200):
    numbers = np.arange(len(left)) if groups is None else np.array(groups)
    return kept_above(
        np.array(left, dtype=float),
        np.array(whole, dtype=float),
        numbers,
        floor,
        alpha=alpha,
        resamples=resamples,
        generator=named_generator(1, "kept"),
    )


@pytest.mark.parametrize("count", [40, 80])
def test_the_bounds_are_those_of_any_other_paired_difference(count):
    draws = np.random.default_rng(3)
    whole, groups = draws.random(count), np.arange(count)
    left = whole * draws.random(count)
    found = kept(left, whole, 0.4)
    same = compare_differences(
        left - 0.4 * whole,
        groups,
        alpha=0.05,
        resamples=200,
        generator=named_generator(1, "kept"),
    )
    assert (found.above, found.low, found.high) == (same.delta, same.low, same.high)
    assert (found.groups, found.moved_groups) == (count, count)


def test_each_query_at_its_very_floor_is_at_the_floor():
    found = kept([0.25] * 40, [0.5] * 40, 0.5)
    assert (found.above, found.low, found.high) == (0.0, 0.0, 0.0)


def test_what_moves_within_a_group_has_moved_though_it_adds_up_to_nothing():
    found = kept([1, 0, 0.5, 0.5], [0, 1, 0.5, 0.5], 0.5, groups=[0, 0, 1, 1])
    assert (found.groups, found.moved_groups) == (2, 1)


def test_losses_are_counted_at_half_alpha_each():
    """Hits of 100 queries, 90 before; 2 lose theirs: both bounds by the beta distribution."""
    whole = [1] * 90 + [0] * 10
    left = [0, 0, *whole[2:]]
    held, lost = stats.beta.ppf(0.025, 90, 11), stats.beta.ppf(0.975, 3, 98)
    assert kept(left, whole, 0.7).counted_low == pytest.approx(0.3 * held - lost)


def test_a_loss_of_a_large_group_may_weigh_as_much_as_that_group():
    """40 groups, one of 3 queries: it weighs 3 / (42 / 40) times its share of groups."""
    groups = [0, 0, *range(40)]
    whole = np.array([0.0, 1.0] * 21)
    held = share_interval(whole, np.array(groups), 0.025).low
    lost = (1 - 0.025 ** (1 / 40)) * 3 / (42 / 40)
    assert kept(whole, whole, 0.2, groups=groups).counted_low == pytest.approx(0.8 * held - lost)


def test_values_that_are_no_shares_are_not_counted():
    assert kept([3.0, 2.0], [4.0, 2.0], 0.5).counted_low is None


def test_without_queries_nothing_is_known():
    found = kept([], [], 0.5)
    assert (found.above, found.low, found.counted_low, found.groups) == (None, None, None, 0)
