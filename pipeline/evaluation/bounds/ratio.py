"""The exact extreme of a difference of two ratios that share one growing ideal.

nDCG, recall, precision and RBP of a list are all

    sum over its items of weight(rank) · gain(grade)
    ------------------------------------------------
    ideal, which depends on how many items reach each grade

Write a gain as the sum of its steps: an item gains step j when its grade reaches level j. For a
share t, numerator − t · denominator falls apart into levels; in each level only *how many*
unjudged items reach it matters, and those that help most go first. A higher level is reached
by no more items than a lower one, so the best numbers per level come from a short dynamic
programme. Dinkelbach's iteration finds the t at which the best of it is zero: that t is the
greatest difference over all assignments of grades.

W. Dinkelbach, On nonlinear fractional programming, Management Science 13 (1967).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Level:
    """One step of the gain, from the judged evidence's point of view.

    Args:
        step: what an item gains by reaching this level; more than 0.
        judged: how many judged items of the query reach it.
        open: whether an unjudged item may be assumed to reach it.
        needed: whether at least one unjudged item must reach it.
    """

    step: float
    judged: int
    open: bool
    needed: bool = False


def greatest_difference(
    judged_difference: float, weights: Sequence[float], levels: Sequence[Level], ideal: Reals
) -> float:
    """The greatest difference of two lists' ratios over all grades of the unjudged items.

    Args:
        judged_difference: the numerators' difference from judged items alone.
        weights: for each unjudged item, its weight in the one list minus that in the other.
        levels: from the lowest to the highest; the numbers judged never rise.
        ideal: `ideal[n]`: the denominator's share of a level that n items reach, per unit of
            step; never falls, rises ever more slowly, and reaches to all items.

    Returns:
        The difference. The denominator must be more than 0 with judged items and those needed
        alone.
    """
    gains = np.concatenate([[0.0], np.cumsum(sorted(weights, reverse=True))])
    reached = tuple(int(level.needed) for level in levels)
    share = -np.inf
    while True:
        numerator, denominator = _ratio(judged_difference, gains, levels, ideal, reached)
        # Each round strictly improves until none can; only rounding could make it go on.
        if numerator / denominator <= share + 1e-15:
            return float(share)
        share = numerator / denominator
        reached = _best_numbers(gains, levels, ideal, share)


def _ratio(
    judged_difference: float,
    gains: Reals,
    levels: Sequence[Level],
    ideal: Reals,
    reached: Sequence[int],
) -> tuple[float, float]:
    numerator, denominator = judged_difference, 0.0
    for level, number in zip(levels, reached, strict=True):
        numerator += level.step * float(gains[number])
        denominator += level.step * float(ideal[level.judged + number])
    return numerator, denominator


def _best_numbers(
    gains: Reals, levels: Sequence[Level], ideal: Reals, share: float
) -> tuple[int, ...]:
    """How many unjudged items best reach each level, a higher level never more than a lower."""
    above = np.zeros(len(gains))  # the best of all higher levels, by how many reach this one
    values = []
    for level in reversed(levels):
        cost = ideal[level.judged : level.judged + len(gains)]
        value = above + level.step * (gains - share * cost)
        if not level.open:
            value[1:] = -np.inf
        if level.needed:
            value[0] = -np.inf
        values.append(value)
        above = np.maximum.accumulate(value)
    numbers: list[int] = []
    limit = len(gains)
    for value in reversed(values):
        limit = int(np.argmax(value[:limit])) + 1
        numbers.append(limit - 1)
    return tuple(numbers)
