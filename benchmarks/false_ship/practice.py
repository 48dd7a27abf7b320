"""What is usually done instead, on the same draws: tune on the test labels, then compare there."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import ttest_1samp

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import ALPHA
from benchmarks.false_ship.draws import weightings
from benchmarks.false_ship.nulls import Setting
from benchmarks.false_ship.populations import PRIMARY, Reals
from benchmarks.false_ship.rates import Rate
from pipeline.selection.rule import means_of


@dataclass(frozen=True, slots=True)
class Practice:
    """How often a habit claims a gain beyond the margin where there is none.

    Args:
        habit: what was done.
        population: the collection.
        null: which draws.
        points: of the grid.
        groups: test groups.
        claims: the share of studies that claim a gain.
    """

    habit: str
    population: str
    null: str
    points: int
    groups: int
    claims: Rate


BEST_MEAN = "best mean of the grid on the test"
T_TEST = "the same, and a paired t-test of it"


def best_on_the_test(setting: Setting, null: str, margin: float) -> list[Practice]:
    """The grid's best mean on the test against the branch best there, without and with a test.

    Args:
        setting: the studies; only their tests are looked at.
        null: its name.
        margin: the gain that is claimed to be exceeded.
    """
    population = setting.population
    points = len(population.points)
    values, test = population.values[PRIMARY], setting.test
    sums = population.sums
    ahead = significant = 0
    for start in range(0, len(test), 200):
        part = test[start : start + 200]
        means = means_of(sums, population.sizes, weightings(part, population))
        best, branch = means[:, :points].argmax(axis=1), means[:, points:].argmax(axis=1) + points
        for row, groups in enumerate(part):
            if means[row, best[row]] - means[row, branch[row]] <= margin:
                continue
            ahead += 1
            queries = Sample.of(population, groups).queries
            apart = values[best[row], queries] - values[branch[row], queries]
            significant += _significant(apart, margin)
    total = len(test)
    named = ((BEST_MEAN, ahead), (T_TEST, significant))
    return [
        Practice(habit, population.name, null, points, setting.groups, Rate(count, total))
        for habit, count in named
    ]


def _significant(differences: Reals, margin: float) -> bool:
    if np.ptp(differences) == 0:
        return False
    tested = ttest_1samp(differences, margin, alternative="greater")
    return bool(tested.pvalue < ALPHA)
