"""Bounds of percentiles and of their ratios, against scipy, numpy and simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.statistics.percentile_intervals import (
    METHOD,
    bound_places,
    percentile_interval,
    ratio_interval,
)
from pipeline.statistics.percentiles import calls_needed, percentile

TIMES = st.lists(st.floats(0.01, 1e4), min_size=1, max_size=200)


def ratio(ours, theirs, share=50, seed=7, name="a"):
    return ratio_interval(ours, theirs, share, 0.05, seed=seed, names=[name])


@given(TIMES, st.sampled_from([50, 90, 95, 99]))
def test_a_percentile_is_numpys_inverted_cdf(values, share):
    assert percentile(values, share) == np.percentile(values, share, method=METHOD)


@pytest.mark.parametrize(("share", "calls"), [(50, 20), (90, 100), (95, 200), (99, 1000)])
def test_bounds_are_the_order_statistics_that_the_binomial_names(share, calls):
    found = bound_places(calls, calls, share, 0.05)
    # Conover 1999, 3.2: X_(r) with P(B < r) <= alpha, X_(s) with P(B >= s) <= alpha.
    below = stats.binom(calls, share / 100)
    low = max(r for r in range(1, calls + 1) if below.cdf(r - 1) <= 0.05)
    high = min(s for s in range(1, calls + 1) if below.sf(s - 1) <= 0.05)
    assert found == (low, high)


@given(st.integers(20, 300), st.integers(20, 300), st.sampled_from([50, 90, 95, 99]))
def test_calls_worth_fewer_never_stand_closer(calls, worth, share):
    whole, fewer = (bound_places(calls, n, share, 0.05) for n in (calls, min(calls, worth)))
    assert fewer[0] is None or fewer[0] <= whole[0]
    assert fewer[1] is None or fewer[1] >= whole[1]


@pytest.mark.parametrize("share", [50, 90, 95, 99])
def test_from_the_calls_that_are_asked_for_on_there_are_both_bounds(share):
    values = np.random.default_rng(7).permutation(calls_needed(share)) + 1.0
    found = percentile_interval(values, share, 0.05)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high


def test_too_few_calls_give_no_upper_bound():
    assert percentile_interval([float(n) for n in range(20)], 95, 0.05).high is None


def test_bounds_hold_the_true_percentile_as_often_as_they_say():
    chance = np.random.default_rng(7)
    true = stats.lognorm(1).ppf(0.95)
    drawn = [percentile_interval(chance.lognormal(size=200), 95, 0.05) for _ in range(300)]
    missed_low = sum(one.low is not None and true < one.low for one in drawn) / 300
    missed_high = sum(one.high is not None and true > one.high for one in drawn) / 300
    # Each side at most 0.05, and a simulation's own error of three standard errors.
    assert max(missed_low, missed_high) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_twice_as_long_is_a_ratio_of_two_without_doubt():
    theirs = list(np.random.default_rng(7).lognormal(size=200))
    found = ratio([2 * one for one in theirs], theirs, share=95)
    assert (found.value, found.low, found.high) == pytest.approx((2.0, 2.0, 2.0))


def test_pairing_takes_out_what_weighs_on_both():
    chance = np.random.default_rng(7)
    theirs = chance.lognormal(size=200)
    ours = theirs * chance.lognormal(0.0, 0.01, size=200)
    paired, apart = ratio(list(ours), list(theirs)), ratio(list(chance.permutation(ours)), theirs)
    assert paired.high - paired.low < (apart.high - apart.low) / 3


def test_draws_depend_on_seed_and_name_alone():
    chance = np.random.default_rng(7)
    ours, theirs = (list(chance.lognormal(size=500)) for _ in range(2))
    assert ratio(ours, theirs) == ratio(ours, theirs)
    assert ratio(ours, theirs) != ratio(ours, theirs, name="b")
    assert ratio(ours, theirs) != ratio(ours, theirs, seed=8)


def test_calls_of_one_moment_are_drawn_together():
    """13 moments of 16 calls that wait for each other tell as much as 13 calls, not as 208."""
    chance = np.random.default_rng(7)
    ours, theirs = (np.repeat(chance.lognormal(size=13), 16) for _ in range(2))

    def spread(**more):
        found = ratio_interval(ours, theirs, 50, 0.05, seed=7, names=["a"], **more)
        return found.high / found.low

    assert spread(together=16) > 1.3 * spread()
    alone = ratio_interval(ours[::16], theirs[::16], 50, 0.05, seed=7, names=["a"])
    assert spread(together=16) == alone.high / alone.low


def test_calls_that_do_not_fill_their_rounds_have_no_bounds():
    odd = ratio_interval([1.0] * 21, [1.0] * 21, 50, 0.05, seed=7, names=["a"], together=4)
    assert (odd.value, odd.low, odd.high) == (1.0, None, None)


def test_nothing_is_divided_by_nothing():
    assert ratio([1.0] * 20, [0.0] * 20) is None
    assert ratio([3.0], [1.5]) == ratio([3.0], [1.5], seed=8)
    assert ratio([3.0], [1.5]).low is None
