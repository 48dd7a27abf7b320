"""How often a study says *ship* where something deserves it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import against_branches, settle, worth_a_look
from benchmarks.false_ship.nulls import Setting
from benchmarks.false_ship.rates import Rate
from pipeline.gates.gate import together
from pipeline.gates.interval import verdict

GAINS = (0.0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15)


@dataclass(frozen=True, slots=True)
class Power:
    """Ship, by how far the best configuration's true gain exceeds the margin.

    Args:
        population: the collection.
        points: of the grid.
        groups: test groups of each study.
        gains: true gain of the grid's best configuration beyond the margin.
        rates: share of studies that say ship, for each.
    """

    population: str
    points: int
    groups: int
    gains: Sequence[float]
    rates: Sequence[Rate]


def power(setting: Setting) -> Power:
    """The power of a study: the selection is made once, the margin lies below the best gain.

    The chosen configuration gains less than the best one does, so part of what is missing from
    1 is what selection gives away.
    """
    population, ships = setting.population, Counter[float]()
    least = setting.best_gain - max(GAINS)
    resamples = population.params.evaluation.resamples
    studies = zip(setting.choice.points, setting.test, strict=True)
    telling = worth_a_look(population, setting.choice.points, setting.test, least)
    for number, (chosen, groups) in enumerate(studies):
        if not telling[number]:
            continue
        sample = Sample.of(population, groups)
        compared = against_branches(population, chosen, sample, least)
        parts = settle(compared, seed=number, resamples=resamples)
        for gain in GAINS:
            margin = setting.best_gain - gain
            status = together(verdict(interval, margin) for interval, _ in parts)
            ships[gain] += status == "pass"
    total = setting.draws.studies
    rates = [Rate(ships[gain], total) for gain in GAINS]
    return Power(population.name, len(population.points), setting.groups, GAINS, rates)
