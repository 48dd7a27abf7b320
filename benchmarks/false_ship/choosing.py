"""What selection freezes in many studies at once, and the queries it is then tested on."""

from dataclasses import dataclass

import numpy as np

from benchmarks.false_ship.draws import FOLDS, weightings
from benchmarks.false_ship.populations import Population, Reals, Wholes
from pipeline.selection.rule import chosen_points, means_of

CELLS = 4_000_000
"""Weightings × points looked at together."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What selection froze in every study.

    Args:
        points: (studies,) under holdout, (studies, folds) under crossfit: the chosen point.
        best_branch: (studies,), the branch's place among the branches, best on dev.
    """

    points: Wholes
    best_branch: Wholes


@dataclass(frozen=True, slots=True)
class Sample:
    """The test queries of one study, in the order in which a whole study would sort them.

    Args:
        queries: positions in the population.
        groups: the group of each, as a number.
        places: which of the drawn groups each belongs to.
    """

    queries: Wholes
    groups: Wholes
    places: Wholes

    @classmethod
    def of(cls, population: Population, groups: Wholes) -> "Sample":
        """The queries of the drawn groups; a group drawn twice is two groups."""
        members = [population.members[group] for group in groups]
        places = np.repeat(np.arange(len(members)), [len(own) for own in members])
        return cls(np.concatenate(members), places, places)

    def only(self, inside: Reals) -> "Sample":
        """The queries that lie in a slice."""
        kept = inside[self.queries] > 0
        return Sample(self.queries[kept], self.groups[kept], self.places[kept])


def select(population: Population, dev: Wholes) -> Choice:
    """The rule's choice in every study.

    Args:
        population: what was measured.
        dev: (studies, groups), the groups drawn for dev.
    """
    counted = weightings(dev, population)
    return Choice(_choices(population, counted), _best_branches(population, counted))


def select_without(population: Population, drawn: Wholes) -> Choice:
    """The rule's choice without each fold: the i-th group drawn lies in fold i modulo 5."""
    fold = np.arange(drawn.shape[1]) % FOLDS
    points = [
        _choices(population, weightings(drawn[:, fold != out], population)) for out in range(FOLDS)
    ]
    return Choice(
        np.stack(points, axis=1), _best_branches(population, weightings(drawn, population))
    )


def _choices(population: Population, counted: Reals) -> Wholes:
    step = max(1, CELLS // (len(population.points) * 8))
    parts = [
        chosen_points(population.problem, counted[start : start + step])
        for start in range(0, len(counted), step)
    ]
    return np.concatenate(parts)


def _best_branches(population: Population, counted: Reals) -> Wholes:
    sums = population.sums[len(population.points) :]
    found: Wholes = means_of(sums, population.sizes, counted).argmax(axis=1)
    return found


def own_values(population: Population, measure: str, chosen: Wholes, sample: Sample) -> Reals:
    """The selected configuration's values on the test queries; under crossfit fold by fold."""
    values = population.values[measure]
    points = chosen if chosen.ndim == 0 else chosen[sample.places % FOLDS]
    own: Reals = values[points, sample.queries]
    return own
