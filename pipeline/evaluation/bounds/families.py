"""Measures that are ratios of weighted gains to an ideal, as `greatest_difference` takes them."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.ratio import Level, Reals, greatest_difference
from pipeline.measures import Measure
from pipeline.measures.gains import GAINS

RankWeights = Callable[[Measure, int], Reals]
Ideal = Callable[[Measure, int], Reals]
Steps = Callable[[Measure, int, int], Mapping[int, float]]


def _discounts(measure: Measure, depth: int) -> Reals:
    return 1.0 / np.log2(np.arange(2, depth + 2))


def _discounted_ideal(measure: Measure, count: int) -> Reals:
    discounts = _discounts(measure, count)
    if measure.cutoff is not None:
        discounts[measure.cutoff :] = 0.0
    return np.concatenate([[0.0], np.cumsum(discounts)])


def _graded_steps(measure: Measure, rel: int, top: int) -> Mapping[int, float]:
    gains = GAINS[measure.dcg](np.arange(top + 1, dtype=np.float64))
    return {grade: float(gains[grade] - gains[grade - 1]) for grade in range(1, top + 1)}


def _ones(measure: Measure, depth: int) -> Reals:
    return np.ones(depth)


def _shares(measure: Measure, depth: int) -> Reals:
    return np.full(depth, 1.0 / (measure.cutoff or 1))


def _persistence(measure: Measure, depth: int) -> Reals:
    return (1.0 - measure.p) * np.power(measure.p, np.arange(depth, dtype=np.float64))


def _counted_ideal(measure: Measure, count: int) -> Reals:
    return np.arange(count + 1, dtype=np.float64)


def _no_ideal(measure: Measure, count: int) -> Reals:
    return np.ones(count + 1)


def _binary_step(measure: Measure, rel: int, top: int) -> Mapping[int, float]:
    return {rel if measure.rel is None else measure.rel: 1.0}


RATIOS: Mapping[str, tuple[RankWeights, Ideal, Steps]] = {
    "nDCG": (_discounts, _discounted_ideal, _graded_steps),
    "R": (_ones, _counted_ideal, _binary_step),
    "P": (_shares, _no_ideal, _binary_step),
    "RBP": (_persistence, _no_ideal, _binary_step),
}


def greatest_ratio_difference(
    duel: Duel, measure: Measure, *, rel: int, top: int, needed: int | None = None
) -> float:
    """The greatest difference, ours minus theirs, over all grades of the unjudged evidence.

    Args:
        duel: the two lists; at least one judged item of the query is relevant, or one is needed.
        measure: its family is in RATIOS.
        rel: the collection's lowest relevant grade.
        top: the highest grade that unjudged evidence may be assumed to have.
        needed: the grade that at least one unjudged item has; None: none needs any.

    Returns:
        The exact maximum.
    """
    rank_weights, ideal, steps = RATIOS[measure.family]
    highest = max(top, max(duel.grades.values(), default=0))
    weights = _weight_differences(duel, rank_weights(measure, _depth(duel)))
    unjudged = [weights[item] for item in duel.unjudged]
    levels, judged_difference = [], 0.0
    for grade, step in steps(measure, rel, highest).items():
        reach = [item for item, found in duel.grades.items() if found >= grade]
        levels.append(Level(step, len(reach), grade <= top, needed is not None and grade <= needed))
        judged_difference += step * sum(weights.get(item, 0.0) for item in reach)
    longest = len(duel.grades) + len(unjudged)
    return greatest_difference(judged_difference, unjudged, levels, ideal(measure, longest))


def _depth(duel: Duel) -> int:
    return max(len(duel.ours), len(duel.theirs))


def _weight_differences(duel: Duel, rank_weights: Sequence[float] | Reals) -> dict[str, float]:
    differences: dict[str, float] = {}
    for sign, items in ((1.0, duel.ours), (-1.0, duel.theirs)):
        seen: set[str] = set()
        for item, weight in zip(items, rank_weights, strict=False):
            # A second document of the same evidence gains nothing.
            if item not in seen:
                differences[item] = differences.get(item, 0.0) + sign * float(weight)
                seen.add(item)
    return differences
