"""Calls that wait for each other, or follow each other on a busy machine, are worth fewer."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import signal, stats

from pipeline.statistics.dependent_calls import BATCHES, MOMENTS, effective_calls
from pipeline.statistics.percentile_intervals import bound_places, percentile_interval
from pipeline.statistics.percentiles import percentile

ALPHA = 0.05


def drawn(chance, calls, together, lasting, shared):
    """Log-normal calls: `shared` of the variance is the moment's, which follows an AR(1)."""
    moments = calls // together
    news = chance.normal(size=moments) * math.sqrt(1 - lasting**2)
    news[0] /= math.sqrt(1 - lasting**2)
    busy = signal.lfilter([1], [1, -lasting], news)
    own = chance.normal(size=moments * together)
    return np.exp(math.sqrt(shared) * np.repeat(busy, together) + math.sqrt(1 - shared) * own)


@pytest.mark.parametrize(
    ("calls", "together", "share", "lasting", "shared"),
    [
        (200, 1, 95, 0.8, 0.5),
        (200, 4, 95, 0.5, 0.5),
        (480, 16, 95, 0.5, 0.5),
        (1000, 1, 99, 0.8, 0.5),
    ],
)
def test_bounds_hold_under_correlation_where_counting_every_call_does_not(
    calls, together, share, lasting, shared
):
    chance, times = np.random.default_rng(7), 600
    true = math.exp(stats.norm.ppf(share / 100))
    missed = {"ours low": 0, "ours high": 0, "every call": 0}
    for _ in range(times):
        values = drawn(chance, calls, together, lasting, shared)
        found = percentile_interval(values, share, ALPHA, together=together)
        missed["ours low"] += found.low is not None and found.low > true
        missed["ours high"] += found.high is not None and found.high < true
        low, high = bound_places(calls, calls, share, ALPHA)
        ordered = np.sort(values)
        missed["every call"] += not ordered[low - 1] <= true <= ordered[high - 1]
    # Nominal 0.05 on each side, of which at least 90 % must be kept; 0.10 on both.
    assert missed["ours low"] <= 0.1 * times
    assert missed["ours high"] <= 0.1 * times
    assert missed["every call"] > 0.14 * times


def test_independent_calls_are_worth_nearly_all_of_themselves():
    chance = np.random.default_rng(7)
    worth = [effective_calls(chance.normal(size=1000), 50, ALPHA) for _ in range(100)]
    assert 600 < np.median(worth) <= 1000


def test_calls_of_one_moment_that_are_all_alike_are_worth_one():
    chance = np.random.default_rng(7)
    worth = [
        effective_calls(np.repeat(chance.normal(size=100), 16), 50, ALPHA, together=16)
        for _ in range(100)
    ]
    assert np.median(worth) < 130


def test_the_design_effect_by_hand():
    """24 calls that rise, the median 12: batches of 4 hold 4, 4, 4, 0, 0, 0 of the lower half."""
    values = list(range(1, 25))
    # Residues of 2 in each batch: 6 · 2² · 6/5 / 24² against 0.25 / 24; then (z / t)².
    effect = (6 * 4 * 6 / 5 / 576) / (0.25 / 24)
    few = (stats.norm.ppf(0.95) / stats.t.ppf(0.95, BATCHES - 1)) ** 2
    assert effective_calls(values, 50, ALPHA) == pytest.approx(24 / effect * few, rel=1e-6)


def burst(chance, slow):
    """1,000 calls around 10 ms, of which 80 that follow each other are `slow`."""
    values = chance.lognormal(math.log(10), 0.3, size=1000)
    values[400:480] = slow
    return values


def test_a_burst_that_a_timeout_cuts_to_one_value_weighs_like_one_that_is_not_cut():
    """p95 is the greatest value; all calls are within it, which alone shows no burst."""
    cut = burst(np.random.default_rng(7), 500.0)
    uncut = burst(np.random.default_rng(7), 500.0 + np.arange(80) / 100)
    assert effective_calls(cut, 95, ALPHA) < 60
    assert effective_calls(uncut, 95, ALPHA) < 60
    found = percentile_interval(cut, 95, ALPHA)
    assert found.value == 500.0
    assert found.low < 100.0
    assert found.high is None


def test_one_call_beyond_the_ties_hides_no_burst_either():
    values = burst(np.random.default_rng(7), 500.0)
    values[900] = 501.0
    assert percentile(values, 95) == 500.0
    assert effective_calls(values, 95, ALPHA) < 60


def test_ties_of_whole_milliseconds_change_little():
    values = drawn(np.random.default_rng(7), 1000, 1, 0.8, 0.5)
    fine, whole = (effective_calls(one, 95, ALPHA) for one in (values, np.ceil(10 * values) / 10))
    assert whole == pytest.approx(fine, rel=0.3)


def test_bounds_hold_where_a_timeout_cuts_the_top():
    """True p95: the timeout, where bursts fill 6 % of the calls; below it where they fill 4 %."""
    chance, times = np.random.default_rng(7), 400
    missed = {0.06: 0, 0.04: 0}
    for share in missed:
        for _ in range(times):
            # Bursts of 20 calls at the timeout, each begun with the same chance.
            begins = chance.random(1000) < -math.log(1 - share) / 20
            slow = np.convolve(begins, np.ones(20))[:1000] > 0
            found = percentile_interval(np.where(slow, 500.0, chance.random(1000)), 95, ALPHA)
            low = found.low is not None and found.low == 500.0
            high = found.high is not None and found.high < 500.0
            missed[share] += high if share > 0.05 else low
    assert max(missed.values()) <= 0.1 * times


def test_calls_that_are_all_alike_do_not_tell_how_they_depend():
    assert effective_calls([5.0] * 1000, 95, ALPHA) is None
    found = percentile_interval([5.0] * 1000, 95, ALPHA)
    assert (found.value, found.low, found.high) == (5.0, None, None)


def test_too_few_moments_tell_nothing_of_what_lasts():
    assert effective_calls([1.0] * (MOMENTS - 1), 50, ALPHA) is None
    assert effective_calls([1.0] * 16 * (MOMENTS - 1), 50, ALPHA, together=16) is None
    found = percentile_interval([1.0, 2.0] * 104, 50, ALPHA, together=16)
    assert (found.value, found.low, found.high) == (1.0, None, None)


# Continuous times, and few whole ones: ties at the percentile, at the top and everywhere.
CALLS = st.one_of(
    st.lists(one, min_size=MOMENTS, max_size=200)
    for one in (st.floats(0.01, 1e4), st.integers(1, 3).map(float))
)


@given(CALLS, st.sampled_from([50, 90, 95, 99]))
def test_no_call_is_worth_more_than_one_and_bounds_are_calls(values, share):
    worth = effective_calls(values, share, ALPHA)
    assert (worth is None) == (len(set(values)) == 1)
    assert worth is None or 0 < worth <= len(values)
    found = percentile_interval(values, share, ALPHA)
    assert found.value == percentile(values, share)
    assert found.low is None or (found.low <= found.value and found.low in values)
    assert found.high is None or (found.high >= found.value and found.high in values)
