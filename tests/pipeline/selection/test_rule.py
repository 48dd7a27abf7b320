"""The rule against a slow twin in plain Python, and worked examples."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.selection.rule import Choices, Problem, SliceVeto, choose

# Quarters and counts up to 2: every sum is exact, so that both roads see the same ties.
VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])


def chain(points: int) -> np.ndarray:
    """Neighbours in a row: each point's are the one before and the one after."""
    table = np.full((points, 2), -1, dtype=np.int64)
    for point in range(points):
        near = [other for other in (point - 1, point + 1) if 0 <= other < points]
        table[point, : len(near)] = near
    return table


def problem(values: Sequence[Sequence[float]], *, share: float = 0.8, **more: object) -> Problem:
    sums = np.array(values, dtype=np.float64)
    return Problem(
        sums=sums,
        counts=np.ones(sums.shape[1]),
        near=chain(len(sums)),
        stable_share=share,
        barred=np.zeros(len(sums), dtype=np.bool_),
        **more,
    )


def once(one: Problem) -> Choices:
    return choose(one, np.ones((1, len(one.counts))))


def test_of_tied_points_the_simplest_is_chosen_though_another_is_best() -> None:
    """The best leads by .05 on average, and the difference has standard error √(1/3·.12)/4."""
    best = [0.9, 0.5, 0.6, 0.6]
    simple = [0.7, 0.6, 0.5, 0.6]
    choices = once(problem([simple, best]))
    error = math.sqrt(4 / 3 * (0.15**2 + 0.15**2 + 0.05**2 + 0.05**2)) / 4
    assert choices.best[0] == 1
    assert choices.errors[0, 0] == pytest.approx(error)
    assert choices.tied[0].tolist() == [True, True]
    assert choices.chosen[0] == 0


def test_a_point_that_loses_everywhere_alike_is_not_tied_however_little_it_loses() -> None:
    """The paired difference is .01 on every query: no spread, no tie."""
    best = [0.9, 0.1, 0.5, 0.3]
    choices = once(problem([[v - 0.01 for v in best], best]))
    assert choices.tied[0].tolist() == [False, True]
    assert choices.chosen[0] == 1


def test_a_lucky_point_gives_way_to_a_region() -> None:
    """Points 0 and 1 lose everywhere alike; 2 is best; 3 and 4 are tied with it."""
    best = [0.9, 0.1, 0.5, 0.3]
    worse = [value - 0.05 for value in best]
    near = [0.8, 0.2, 0.45, 0.3]
    choices = once(problem([worse, worse, best, near, near]))
    assert choices.tied[0].tolist() == [False, False, True, True, True]
    assert choices.stable[0].tolist() == [False, False, False, True, True]
    assert choices.chosen[0] == 3


def test_where_nothing_is_stable_the_simplest_tied_point_is_chosen() -> None:
    best = [0.9, 0.1, 0.5, 0.3]
    worse = [value - 0.05 for value in best]
    choices = once(problem([worse, best, worse]))
    assert not (choices.tied & choices.stable).any()
    assert choices.chosen[0] == 1


def test_one_group_shows_no_spread_so_only_equals_are_tied() -> None:
    choices = once(problem([[0.4], [0.5], [0.5]]))
    assert choices.tied[0].tolist() == [False, True, True]
    assert choices.chosen[0] == 2


def slice_of(values: Sequence[Sequence[float]], inside: Sequence[float], loss: float) -> SliceVeto:
    rows = np.array(values)
    return SliceVeto("critical", loss, rows[1:] * inside, np.array(inside), rows[:1] * inside)


def vetoed(values: Sequence[Sequence[float]], loss: float) -> Choices:
    """The first row is the baseline, the others the points; the last two queries are critical."""
    veto = slice_of(values, [0.0, 0.0, 1.0, 1.0], loss)
    return once(problem(values[1:], vetoes=[veto], baselines=np.array(values[:1])))


def test_a_point_that_damages_a_critical_slice_is_excluded_though_best() -> None:
    values = [[0.2, 0.2, 0.8, 0.8], [0.9, 0.9, 0.6, 0.8], [0.3, 0.3, 0.8, 0.8]]
    assert vetoed(values, 0.05).chosen[0] == 1
    assert vetoed(values, 0.1).chosen[0] == 0


def test_where_every_point_would_be_excluded_none_is_and_it_is_said() -> None:
    values = [[0.2, 0.2, 0.8, 0.8], [0.9, 0.9, 0.1, 0.1], [0.3, 0.3, 0.1, 0.1]]
    choices = vetoed(values, 0.0)
    assert choices.overruled[0]
    assert choices.chosen[0] == 0


def slow(values: np.ndarray, counts: Sequence[int], share: float) -> int:
    """The rule in plain Python on groups repeated as often as they count."""
    drawn = [g for g, count in enumerate(counts) for _ in range(count)]
    means = [sum(row[g] for g in drawn) / len(drawn) for row in values]
    best = means.index(max(means))
    tied = []
    for point, row in enumerate(values):
        apart = [values[best][g] - row[g] for g in drawn]
        mean = means[best] - means[point]
        size = len(drawn)
        spread = sum((d - mean) ** 2 for d in apart)
        error = math.sqrt(size / (size - 1) * spread) / size if size > 1 else 0.0
        tied.append(mean <= error + 1e-12)
    near = chain(len(values))
    stable = []
    for line in near:
        there = [int(n) for n in line if n >= 0]
        stable.append(sum(tied[n] for n in there) >= share * len(there) - 1e-12)
    firm = [p for p in range(len(values)) if tied[p] and stable[p]]
    return min(firm or [p for p in range(len(values)) if tied[p]])


@settings(deadline=None)
@given(
    st.integers(1, 6).flatmap(
        lambda groups: st.tuples(
            st.lists(st.lists(VALUES, min_size=groups, max_size=groups), min_size=1, max_size=6),
            st.lists(
                st.lists(st.integers(0, 2), min_size=groups, max_size=groups).filter(any),
                min_size=1,
                max_size=4,
            ),
        )
    ),
    st.sampled_from([0.0, 0.5, 0.8, 1.0]),
)
def test_many_weightings_at_once_are_the_slow_rule_on_each(
    given_: tuple[list[list[float]], list[list[int]]], share: float
) -> None:
    values, weightings = given_
    choices = choose(problem(values, share=share), np.array(weightings, dtype=np.float64))
    assert choices.chosen.tolist() == [slow(np.array(values), w, share) for w in weightings]
