"""The simulated studies of crossfit: what is made true is true, and nothing held out is seen."""

import numpy as np
import pytest

from benchmarks.crossfit import FOLDS, Population, crossfit, holdout, ships
from pipeline.statistics import named_generator

DRAWS = named_generator(1, "crossfit", "test")
BRANCHES = DRAWS.random((2, 60))
POINTS = np.where(DRAWS.random((6, 60)) < 0.3, BRANCHES[BRANCHES.mean(1).argmax()], 0.5)
NEAR = np.array([[1, -1], [0, 2], [1, 3], [2, 4], [3, 5], [4, -1]])
MADE = Population(POINTS, BRANCHES, NEAR)


@pytest.mark.parametrize("gain", [0.0, 0.04])
def test_every_configuration_gains_what_is_asked_and_ties_stay_ties(gain: float) -> None:
    moved, best = MADE.moved(gain), BRANCHES[BRANCHES.mean(axis=1).argmax()]
    assert (moved.points - best).mean(axis=1) == pytest.approx(np.full(6, gain))
    assert ((moved.points == best) == (best == POINTS)).all()


def test_with_its_own_values_no_configuration_exceeds_the_margin() -> None:
    own, best = MADE.moved(None), BRANCHES[BRANCHES.mean(axis=1).argmax()]
    assert (own.points - best).mean(axis=1).max() == own.margin


def test_crossfit_tests_every_group_once_and_holdout_half_of_them() -> None:
    assert crossfit(MADE, named_generator(2)).shape == (2, 60)
    assert holdout(MADE, named_generator(2)).shape == (2, 30)


def test_a_held_out_fold_does_not_choose_for_itself() -> None:
    fold = named_generator(3).permutation(60) % FOLDS
    points = POINTS.copy()
    points[:, np.flatnonzero(fold == fold[0])[1:]] = DRAWS.random((6, 11))
    plain, other = (
        crossfit(Population(values, BRANCHES, NEAR), named_generator(3))
        for values in (POINTS, points)
    )
    assert (plain[:, 0] == other[:, 0]).all()


def test_a_gain_on_every_branch_ships_and_one_on_none_does_not() -> None:
    gains = named_generator(4).normal(0.2, 0.1, (2, 80))
    assert ships(gains, 0.0, named_generator(5))
    assert not ships(-gains, 0.0, named_generator(5))
    assert not ships(np.stack([gains[0], gains[1] - 0.2]), 0.05, named_generator(5))
