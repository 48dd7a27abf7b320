"""Studies as draws: which groups stand on dev, and which on the test."""

from dataclasses import dataclass

import numpy as np

from benchmarks.false_ship.populations import Population, Reals, Wholes
from pipeline.statistics import named_generator

FOLDS = 5


@dataclass(frozen=True, slots=True)
class Draws:
    """Many studies of one population.

    Args:
        dev: (studies, groups), positions of the groups drawn for dev.
        test: (studies, groups), where in (0, 1) each test group lies on the scale of the
            weights: a study's test may be drawn by other weights than another's.
    """

    dev: Wholes
    test: Reals

    @property
    def studies(self) -> int:
        """How many."""
        return len(self.dev)


def draw(
    population: Population, studies: int, groups: int, *names: str, weights: Reals, seed: int
) -> Draws:
    """Groups with replacement, as many on dev as on the test.

    Args:
        population: where they come from.
        studies: how many studies.
        groups: groups of each side.
        names: what the draws are for: equal names are equal draws.
        weights: (groups,), how likely each group is on dev.
        seed: of the benchmark.
    """
    # The grid is no part of the name: every grid is tried on the same studies.
    generator = named_generator(seed, "false-ship", population.name, str(groups), *names)
    both = generator.random((studies, 2, groups))
    return Draws(drawn(both[:, 0], weights), both[:, 1])


def drawn(uniform: Reals, weights: Reals) -> Wholes:
    """Positions of groups, from numbers in (0, 1) and how likely each group is."""
    steps = np.cumsum(weights)
    found: Wholes = np.searchsorted(steps / steps[-1], uniform, side="right").astype(np.int64)
    return found


def weightings(groups: Wholes, population: Population) -> Reals:
    """(studies, groups of the population): how often each was drawn."""
    return np.stack([np.bincount(row, minlength=population.groups) for row in groups]).astype(
        np.float64
    )
