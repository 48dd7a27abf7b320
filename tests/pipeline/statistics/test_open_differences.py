"""The least L of differences that lie between two ends: nothing between them is lower."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.statistics.groups import Grouped
from pipeline.statistics.open_differences import Box, least_low
from pipeline.statistics.student import t_bounds

# Rounding of sums in another order.
CLOSE = 1e-9

Ends = tuple[np.ndarray, np.ndarray, np.ndarray]


def low_of(values: np.ndarray, groups: np.ndarray, alpha: float) -> float:
    """L as every comparison has it."""
    data = Grouped.of(values, groups)
    return t_bounds(data.mean, data.standard_error, data.groups, alpha)[0]


def every_corner(ends: Ends, alpha: float) -> float:
    """The least L of all corners, one query after the other at either end."""
    lows, highs, groups = ends
    corners = itertools.product(*zip(lows.tolist(), highs.tolist(), strict=True))
    return min(low_of(np.array(corner), groups, alpha) for corner in corners)


@st.composite
def ends(draw: st.DrawFn, most: int = 8) -> Ends:
    """Queries in groups of any size, each with two ends, some of them the same."""
    queries = draw(st.integers(2, most))
    groups = [0, 1, *(draw(st.integers(0, queries - 1)) for _ in range(queries - 2))]
    value = st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.0, 0.0, 0.1, 0.5, 1.0])
    pairs = [sorted((draw(value), draw(value))) for _ in groups]
    lows, highs = (np.array([pair[end] for pair in pairs]) for end in (0, 1))
    return lows, highs, np.array(groups)


def test_one_great_gain_among_nothing_lowers_l() -> None:
    # 29 groups without a difference, one that may gain 1: mean 1/30, and the error 1/30, too.
    lows, highs = np.zeros(30), np.zeros(30)
    highs[7] = 1.0
    found = least_low(lows, highs, np.arange(30), 0.05)
    assert found is not None
    assert found.raised.tolist() == [7]
    # t with 29 degrees of freedom is 1.699.
    assert found.value == pytest.approx(1 / 30 - 1.699127 / 30)
    assert found.exact


def test_where_differences_spread_the_low_ends_have_the_least_l() -> None:
    lows = np.tile([-0.3, 0.1, 0.2, 0.4], 20)
    found = least_low(lows, lows + 0.3, np.arange(80), 0.05)
    assert found is not None
    assert (found.raised.tolist(), found.exact) == ([], True)
    assert found.value == pytest.approx(low_of(lows, np.arange(80), 0.05))


@settings(max_examples=60, deadline=None)
@given(given_ends=ends(), alpha=st.sampled_from([0.05, 0.0076, 0.2]))
def test_it_is_the_least_of_all_corners(given_ends: Ends, alpha: float) -> None:
    found = least_low(*given_ends, alpha)
    assert found is not None
    assert found.exact
    assert found.value == pytest.approx(every_corner(given_ends, alpha), abs=CLOSE)


@settings(max_examples=60, deadline=None)
@given(given_ends=ends(), alpha=st.sampled_from([0.05, 0.2]))
def test_the_raised_groups_have_that_bound(given_ends: Ends, alpha: float) -> None:
    lows, highs, groups = given_ends
    found = least_low(lows, highs, groups, alpha)
    assert found is not None
    names = np.unique(groups)
    corner = np.where(np.isin(groups, names[found.raised]), highs, lows)
    assert low_of(corner, groups, alpha) == pytest.approx(found.value, abs=CLOSE)


@settings(max_examples=60, deadline=None)
@given(
    given_ends=ends(most=60),
    seed=st.integers(0, 2**32 - 1),
    alpha=st.sampled_from([0.05, 0.001]),
)
def test_no_differences_between_the_ends_fall_below(
    given_ends: Ends, seed: int, alpha: float
) -> None:
    lows, highs, groups = given_ends
    found = least_low(lows, highs, groups, alpha)
    assert found is not None
    drawn = np.random.default_rng(seed).choice([0.0, 0.3, 1.0], (50, len(lows)))
    for shares in drawn:
        assert low_of(lows + shares * (highs - lows), groups, alpha) >= found.value - CLOSE


@settings(max_examples=60, deadline=None)
@given(given_ends=ends())
def test_the_outer_bound_lies_outside(given_ends: Ends) -> None:
    lows, highs, groups = given_ends
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = [np.bincount(numbers, weights=end) for end in (lows, highs)]
    count = len(sums[0])
    box = Box(*sums, np.bincount(numbers).astype(float), 1.9 * (count / (count - 1)) ** 0.5)
    sets = [
        np.array([one], dtype=np.int64)
        for size in range(count + 1)
        for one in itertools.combinations(range(count), size)
    ]
    least = min(float(box.lows_of(one)[0]) for one in sets)
    assert box.outer(box.raisable()) <= least + CLOSE


@settings(max_examples=60, deadline=None)
@given(given_ends=ends(most=30), seed=st.integers(0, 2**32 - 1))
def test_the_least_spread_lies_below_every_spread(given_ends: Ends, seed: int) -> None:
    lows, highs, groups = given_ends
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = [np.bincount(numbers, weights=end) for end in (lows, highs)]
    box = Box(*sums, np.bincount(numbers).astype(float), 1.9)
    shares = np.random.default_rng(seed).choice([0.0, 0.5, 1.0], (30, len(lows)))
    for share in shares:
        data = Grouped.of(lows + share * (highs - lows), numbers)
        assert np.linalg.norm(data.residuals) >= box.least_norm() - CLOSE


def test_too_many_sets_give_an_outer_bound_that_says_so() -> None:
    # A strict level lets many groups be raised, and nothing is closed.
    lows, highs = np.full(400, -0.01), np.ones(400)
    found = least_low(lows, highs, np.arange(400), 1e-4)
    assert found is not None
    assert not found.exact
    few = np.where(np.arange(400) < 3, 1.0, -0.01)
    assert found.value <= low_of(few, np.arange(400), 1e-4)


def test_one_group_has_no_bound() -> None:
    assert least_low(np.zeros(3), np.ones(3), np.zeros(3, dtype=np.int64), 0.05) is None
