"""Ties of many weightings by products: those that the rule itself finds, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.grid.bag import bag
from pipeline.grid.differences import DUST, paired_errors
from pipeline.selection import ties
from pipeline.selection.rule import Problem, choose, chosen_points
from pipeline.selection.ties import tied_points

TENTHS = st.integers(-10, 10).map(lambda tenth: tenth / 10)


def problem(sums: np.ndarray, counts: np.ndarray) -> Problem:
    """Each point's neighbours are those beside it."""
    points = len(sums)
    near = np.stack([np.arange(points) - 1, np.arange(points) + 1], axis=1) % points
    return Problem(sums, counts, near, 0.5, np.zeros(points, dtype=np.bool_))


@st.composite
def problems(draw: st.DrawFn) -> tuple[Problem, np.ndarray]:
    """Points that are often equal, on groups of one to three queries."""
    groups, points = draw(st.integers(1, 7)), draw(st.integers(1, 6))
    rows = st.lists(TENTHS, min_size=groups, max_size=groups)
    sums = np.array(draw(st.lists(rows, min_size=points, max_size=points)))
    counts = np.array(draw(st.lists(st.integers(1, 3), min_size=groups, max_size=groups))) * 1.0
    drawn = st.lists(st.integers(0, 3), min_size=groups, max_size=groups).filter(any)
    return problem(sums, counts), np.array(draw(st.lists(drawn, min_size=1, max_size=5))) * 1.0


@given(problems())
@settings(deadline=None, max_examples=100)
def test_the_choice_is_the_rules(given: tuple[Problem, np.ndarray]) -> None:
    assert chosen_points(*given).tolist() == choose(*given).chosen.tolist()


@pytest.mark.parametrize("groups", [2, 60, 900])
def test_the_choice_is_the_rules_among_many_points_that_nearly_agree(groups: int) -> None:
    random = np.random.default_rng(groups)
    moved = random.normal(0, 0.05, (300, groups)) * (random.random((300, groups)) < 0.3)
    counts = random.integers(1, 4, groups) * 1.0
    one = problem(random.beta(1, 1.5, groups) * counts + moved, counts)
    weightings = bag(7, groups)
    rule = choose(one, weightings)
    behind = np.take_along_axis(rule.means, rule.best[:, None], axis=1) - rule.means
    found = tied_points(one.sums, counts, weightings, rule.best, behind)
    assert found.tolist() == rule.tied.tolist()
    assert 0 < found.mean() < 1
    assert chosen_points(one, weightings).tolist() == rule.chosen.tolist()


def test_the_bounds_hold_the_errors_and_are_narrow() -> None:
    random = np.random.default_rng(1)
    counts = random.integers(1, 30, 400) * 1.0
    # Nearly equal points far from 0, where multiplying out loses most.
    sums = counts * 0.9 + random.normal(0, 1e-3, (40, 400))
    weightings, best = bag(3, 400), np.arange(200) % 40
    ((_, low, high),) = ties._errors(sums, counts, weightings, best)
    for row in range(len(weightings)):
        errors = paired_errors(sums, counts, weightings[row], int(best[row]))
        assert (low[row] <= errors).all()
        assert (errors <= high[row]).all()
    others = np.arange(40) != best[:, None]
    assert (high - low)[others].max() < 1e-2 * high[others].min()


def test_what_the_bounds_leave_open_is_settled_by_the_errors_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Bounds a hundred billion times as wide leave nearly everything open.
    monkeypatch.setattr(ties, "TERMS", 1e12)
    random = np.random.default_rng(2)
    sums, counts, weightings = random.random((20, 30)), np.ones(30), bag(3, 30)
    rule = choose(problem(sums, counts), weightings)
    behind = np.take_along_axis(rule.means, rule.best[:, None], axis=1) - rule.means
    found = tied_points(sums, counts, weightings, rule.best, behind)
    assert found.tolist() == (behind <= rule.errors + DUST).tolist()
