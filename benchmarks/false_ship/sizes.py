"""One configuration, nothing selected: how the interval itself keeps its level, and at what cost.

Where the level is missed this tells why (skew), and what other bounds would do about it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import skew

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import ALPHA
from benchmarks.false_ship.draws import drawn
from benchmarks.false_ship.populations import PRIMARY, Population, Reals
from benchmarks.false_ship.rates import Rate
from pipeline.gates.interval import GROUPS_WITH_A_DIFFERENCE
from pipeline.statistics import Grouped, named_generator
from pipeline.statistics.bootstrap import bootstrap_bounds
from pipeline.statistics.comparison import MANY_GROUPS
from pipeline.statistics.resampling import resample
from pipeline.statistics.student import t_bounds

RESAMPLES = 2_000
GAIN = 0.05
WORST = -1.0
"""The least difference of two values of a measure from 0 to 1."""

T, GATE, WIDER, GUARANTEED = "t", "the gate's", "the wider, always", "worst case added"
BOUNDS = (T, GATE, WIDER, GUARANTEED)


@dataclass(frozen=True, slots=True)
class Size:
    """What four lower bounds do on the differences of one configuration to the better branch.

    Args:
        population: the collection.
        configuration: described.
        gain: its true gain.
        skew: of the groups' differences.
        groups: test groups.
        false: bound to the share of samples in which it lies above the true gain.
        power: bound to the share in which it lies above the true gain less 0.05.
    """

    population: str
    configuration: str
    gain: float
    skew: float
    groups: int
    false: Mapping[str, Rate]
    power: Mapping[str, Rate]


def sizes(population: Population, groups: Sequence[int], samples: int, seed: int) -> list[Size]:
    """Unweighted RRF (k = 60), the grid's best and its median configuration.

    Args:
        population: what was measured.
        groups: test groups.
        samples: how many samples of each.
        seed: of the benchmark.
    """
    gains = population.gains(population.even)
    plain = next(
        place
        for place, point in enumerate(population.points)
        if point.rank_constant == 60 and len({weight for _, weight in point.weights}) == 1
    )
    middle = int(np.argsort(gains, kind="stable")[len(gains) // 2])
    chosen = dict.fromkeys((plain, int(gains.argmax()), middle))
    return [_size(population, place, count, samples, seed) for place in chosen for count in groups]


def _size(population: Population, place: int, groups: int, samples: int, seed: int) -> Size:
    points = len(population.points)
    best = points + int(population.sums[points:].sum(axis=1).argmax())
    differences = population.values[PRIMARY][place] - population.values[PRIMARY][best]
    sums = population.sums[place] - population.sums[best]
    gain = float(sums.sum() / population.sizes.sum())
    name = population.points[place].id
    generator = named_generator(seed, "sizes", population.name, name, str(groups))
    false, power = dict.fromkeys(BOUNDS, 0), dict.fromkeys(BOUNDS, 0)
    for uniform in generator.random((samples, groups)):
        sample = Sample.of(population, drawn(uniform, population.even))
        data = Grouped.of(differences[sample.queries], sample.groups)
        if data.nonzero < GROUPS_WITH_A_DIFFERENCE:
            continue
        for bound, low in _bounds(data, generator).items():
            false[bound] += low > gain
            power[bound] += low > gain - GAIN
    return Size(
        population.name,
        population.points[place].describe(),
        gain,
        float(skew(sums - gain * population.sizes)),
        groups,
        {bound: Rate(count, samples) for bound, count in false.items()},
        {bound: Rate(count, samples) for bound, count in power.items()},
    )


def _bounds(data: Grouped, generator: np.random.Generator) -> Mapping[str, float]:
    low, _ = t_bounds(data.mean, data.standard_error, data.groups, ALPHA)
    studentised = bootstrap_bounds(data, resample(data, RESAMPLES, generator), ALPHA).t
    wider = low if studentised is None else min(low, studentised[0])
    gate = wider if data.groups < MANY_GROUPS else low
    return {T: low, GATE: gate, WIDER: wider, GUARANTEED: worst_case_added(data, generator)}


def worst_case_added(data: Grouped, generator: np.random.Generator) -> float:
    """A lower bound that counts one more group, in which everything that can be lost is lost.

    The α quantile of the mean under Dirichlet(1, …, 1) weights on the groups and on one group of
    mean size at the worst value: Gaffke's bound (2005) for values with a known least one. No
    distribution is known on which it misses its level, and none of the mean's usual bounds sees
    a loss that was not drawn.
    """
    size = data.sizes.mean()
    weights: Reals = generator.exponential(size=(RESAMPLES, data.groups + 1))
    sums, sizes_ = np.append(data.sums, WORST * size), np.append(data.sizes, size)
    return float(np.quantile((weights @ sums) / (weights @ sizes_), ALPHA))
