"""The gates that can be brought to their limits, one function each."""

import numpy as np

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import ALPHA, Comparison, against_branches, settle, status_of
from benchmarks.false_ship.gates import Case, Pair
from benchmarks.false_ship.populations import PRIMARY, Population, Reals
from benchmarks.false_ship.tilting import tilted
from pipeline.gates import Status
from pipeline.gates.gate import ROUNDING, together
from pipeline.gates.interval import below, verdict
from pipeline.gates.kept import keeps_floor
from pipeline.gates.zero_hits import leans_on_few, rise_at_most
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import kept_above, named_generator
from pipeline.statistics.groups import EQUAL

ZERO_HITS, JUDGED = "ZeroHit@10", "Judged@10"


def primary(margin: float) -> Case:
    """The gain on the branch best on dev is the margin."""

    def excess(population: Population, pair: Pair) -> Reals:
        chosen, branch = pair
        gain: Reals = population.sums[chosen] - population.sums[branch]
        return gain - margin * population.sizes

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        compared = against_branches(of, np.array(pair[0]), sample, margin)
        return status_of(settle(compared, seed=seed, resamples=_resamples(of)))

    return Case("primary", margin, excess, status)


def zero_hits(tolerance: float) -> Case:
    """The rise of zero hits is as large as is tolerated."""

    def excess(population: Population, pair: Pair) -> Reals:
        chosen, branch = pair
        values = population.values[ZERO_HITS]
        rise = population.group_sums(values[chosen] - values[branch])
        return tolerance * population.sizes - rise

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        chosen, branch = pair
        rises = of.values[ZERO_HITS][chosen] - of.values[ZERO_HITS][branch]
        compared = Comparison(
            rises[sample.queries],
            sample,
            of.branches[branch - len(of.points)],
            ALL_QUERIES,
            lambda one: verdict(one.turned(ZERO_HITS), -tolerance, fails=below),
            of.widest,
        )
        ((interval, found),) = settle([compared], seed=seed, resamples=_resamples(of))
        if leans_on_few(interval.turned(ZERO_HITS), found, tolerance):
            return "pass" if _exact_rise(rises, sample) < tolerance else found
        return found

    return Case("zero_hits", tolerance, excess, status)


def _exact_rise(rises: Reals, sample: Sample) -> float:
    """The bound that counts the groups that lose their hit."""
    queries = np.bincount(sample.groups)
    lost = np.bincount(sample.groups, weights=rises[sample.queries]) > EQUAL
    uneven = float(queries.max() / queries.mean())
    return rise_at_most(int(lost.sum()), len(queries), ALPHA, unevenness=uneven)


def slices(name: str, tolerance: float) -> Case:
    """The loss on a slice is as large as is tolerated."""

    def excess(population: Population, pair: Pair) -> Reals:
        chosen, branch = pair
        values, inside = population.values[PRIMARY], population.slices[name]
        gain = population.group_sums((values[chosen] - values[branch]) * inside)
        return gain + tolerance * population.group_sums(inside)

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        chosen, branch = pair
        mine = sample.only(of.slices[name])
        if len(mine.queries) < of.params.evaluation.slices.minimum:
            return "unresolved" if len(mine.queries) else "not_measured"
        values = of.values[PRIMARY][:, mine.queries]
        compared = Comparison(
            values[chosen] - values[branch],
            mine,
            of.branches[branch - len(of.points)],
            name,
            lambda one: verdict(one, -tolerance, fails=below),
            of.widest,
        )
        return _settled(of, compared, seed)

    return Case("slices", tolerance, excess, status, note=name)


def degraded(floor: float) -> Case:
    """With one branch out as much of the primary measure is kept as is asked for."""

    def excess(population: Population, pair: Pair) -> Reals:
        chosen, _ = pair
        values = population.values[PRIMARY]
        sums = population.group_sums(values[len(population.points) :])
        left = sums[int(sums.sum(axis=1).argmin())]
        kept: Reals = left - floor * population.group_sums(values[chosen])
        return kept

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        whole = of.values[PRIMARY][pair[0], sample.queries]
        left = of.values[PRIMARY][len(of.points) :, sample.queries]
        return together(keeps_floor(_row(of, one, whole, sample, floor, seed)) for one in left)

    return Case("degraded", floor, excess, status)


def _row(
    of: Population, left: Reals, whole: Reals, sample: Sample, floor: float, seed: int
) -> dict[str, object]:
    """What the gate looks at where one branch is left."""
    kept = kept_above(
        left,
        whole,
        sample.groups,
        floor,
        alpha=ALPHA,
        resamples=_resamples(of),
        generator=named_generator(seed, "kept", "test", PRIMARY),
    )
    return {
        "affected": len(left),
        "floor": floor,
        "above": kept.above,
        "above_low": kept.low,
        "above_high": kept.high,
        "counted_low": kept.counted_low,
        "groups": kept.groups,
        "moved_groups": kept.moved_groups,
    }


def coverage(floor: float) -> Case:
    """Of what a system returns as much is judged as is asked for."""

    def excess(population: Population, pair: Pair) -> Reals:
        chosen, _ = pair
        systems = [chosen, *range(len(population.points), len(population.values[JUDGED]))]
        shares = population.values[JUDGED][systems]
        above: Reals = population.group_sums(np.nan_to_num(shares - floor))
        # The system that is at the floor while no other one is below it.
        for system in above:
            weights = tilted(system)
            if weights is not None and (above @ weights >= -ROUNDING).all():
                least: Reals = system
                return least
        return np.ones(population.groups)

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        chosen, _ = pair
        systems = [chosen, *range(len(of.points), len(of.values[JUDGED]))]
        shares = of.values[JUDGED][systems][:, sample.queries]
        least = np.nanmean(shares, axis=1).min()
        return "pass" if least + ROUNDING >= floor else "fail"

    return Case("coverage", floor, excess, status, interval=False)


def _settled(population: Population, compared: Comparison, seed: int) -> Status:
    return status_of(settle([compared], seed=seed, resamples=_resamples(population)))


def _resamples(population: Population) -> int:
    return population.params.evaluation.resamples
