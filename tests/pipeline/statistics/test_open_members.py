"""L of a mean that some queries may join or not: no choice of members and differences is lower."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.statistics.groups import Grouped
from pipeline.statistics.open_members import least_low_of_members
from pipeline.statistics.student import critical, t_bounds

CLOSE = 1e-9

Ends = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def every_low(ends: Ends, alpha: float) -> list[float]:
    """L of every set of members with every difference at either end."""
    lows, highs, groups, optional = ends
    choices = [
        (low, high, None) if may else (low, high)
        for low, high, may in zip(lows.tolist(), highs.tolist(), optional.tolist(), strict=True)
    ]
    found = []
    for chosen in itertools.product(*choices):
        members = [place for place, value in enumerate(chosen) if value is not None]
        data = Grouped.of(np.array([chosen[place] for place in members]), groups[members])
        found.append(t_bounds(data.mean, data.standard_error, data.groups, alpha)[0])
    return found


@st.composite
def ends(draw: st.DrawFn) -> Ends:
    """Two to four sure queries in two groups at least, and up to three more in any group."""
    sure, more = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    groups = [0, 1, *(draw(st.integers(0, 4)) for _ in range(sure + more - 2))]
    value = st.sampled_from([-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0])
    pairs = [sorted((draw(value), draw(value))) for _ in groups]
    lows, highs = (np.array([pair[end] for pair in pairs]) for end in (0, 1))
    return lows, highs, np.array(groups), np.arange(sure + more) >= sure


@settings(max_examples=60, deadline=None)
@given(given_ends=ends(), alpha=st.sampled_from([0.05, 0.0076, 0.2]))
def test_no_members_at_any_of_their_ends_have_a_lower_l(given_ends: Ends, alpha: float) -> None:
    found = least_low_of_members(*given_ends, alpha)
    assert found is not None
    assert not found.exact
    assert found.value <= min(every_low(given_ends, alpha)) + CLOSE


def test_one_more_query_that_can_only_lose_by_hand() -> None:
    # Four queries gain 1 each; a fifth would lose by 1: mean 3/5, residuals 2/5 and -8/5.
    values = np.array([1.0, 1.0, 1.0, 1.0, -1.0])
    found = least_low_of_members(values, values, np.arange(5), np.arange(5) == 4, 0.05)
    assert found is not None
    spread = (4 * 0.4**2 + 1.6**2) ** 0.5 / 5
    joined = 0.6 - critical(0.05, 5) * (5 / 4) ** 0.5 * spread
    # The bound takes four groups' t and divides by four queries.
    assert found.value == pytest.approx(0.6 - critical(0.05, 4) * (4 / 3) ** 0.5 * spread * 5 / 4)
    assert found.value < joined


def test_the_sure_ones_must_be_in_two_groups() -> None:
    ends_ = np.array([0.1, 0.2, 0.3])
    optional = np.array([False, False, True])
    assert least_low_of_members(ends_, ends_, np.array([0, 0, 1]), optional, 0.05) is None
