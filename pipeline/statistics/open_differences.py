"""The t bounds of differences each of which is only known to lie between two ends.

L = mean − t · error is concave in the differences, so the least L of a box is at a corner. Which
corner? Start where every group is at its low end. Raising a group lifts the mean; it lowers L only
where it widens the interval by more. At the least L, S being the sums by group, r = S − mean · n
their residuals, κ = t √(G/(G − 1)) and σ = ‖n − mean(n)‖ / Σn (0 for groups of one size), every
raised group has

    r_g ≥ (1/κ − σ) ‖r‖        (else lowering it again would lower L)

Squares of residuals add up to ‖r‖², so no more than 1/(1/κ − σ)² groups are raised: at α = .05 and
30 groups of one size, two. These few sets are tried one by one; where there are too many, an outer
bound is given and says so. Derived here; tests compare with all corners.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from pipeline.statistics.groups import Numbers, Values
from pipeline.statistics.student import critical

# Sets of raised groups that are tried: as many as assignments of a query's grades are.
SETS = 2**12
# Rounding must never rule a set out.
SLACK = 1e-9
STEPS = 30


@dataclass(frozen=True, slots=True)
class LeastLow:
    """The least lower bound of a mean.

    Args:
        value: no differences between the ends have a lower L.
        raised: the groups at their high end where L is least, of the sets that were tried.
        exact: whether that corner has this L; otherwise it may be a little higher.
    """

    value: float
    raised: Numbers
    exact: bool


@dataclass(frozen=True, slots=True)
class Box:
    """Sums by group, each between two ends.

    Args:
        lows: the least sum of each group.
        highs: the greatest.
        sizes: queries of each group.
        reach: κ, standard errors times √(G/(G − 1)).
    """

    lows: Values
    highs: Values
    sizes: Values
    reach: float

    @property
    def queries(self) -> float:
        """How many there are in all groups."""
        return float(self.sizes.sum())

    @property
    def share(self) -> float:
        """The least residual of a raised group, as a share of ‖r‖; where not over 0, no limit."""
        uneven = float(np.linalg.norm(self.sizes - self.sizes.mean())) / self.queries
        return 1.0 / self.reach - uneven

    @property
    def most_raised(self) -> int:
        """No more groups than these are raised where L is least."""
        if self.share <= 0.0:
            return len(self.sizes)
        return min(len(self.sizes), math.floor(1.0 / self.share**2 + SLACK))

    def lows_of(self, sets: Numbers) -> Values:
        """L where each of these sets of groups is raised: (sets, members) to (sets,)."""
        level = self.lows.sum() / self.queries
        held, gains = self.lows - level * self.sizes, self.highs - self.lows
        ends = held + gains
        # A common level has no residual, and taking it out first keeps the digits.
        mean = gains[sets].sum(axis=1) / self.queries
        squares = (held**2).sum() + (ends[sets] ** 2 - held[sets] ** 2).sum(axis=1)
        crossed = held @ self.sizes + (gains * self.sizes)[sets].sum(axis=1)
        spread = squares - 2.0 * mean * crossed + mean**2 * (self.sizes**2).sum()
        reach = self.reach * np.sqrt(np.maximum(spread, 0.0)) / self.queries
        return np.asarray(level + mean - reach, np.float64)

    def least_norm(self) -> float:
        """No more than ‖r‖ of any differences between the ends."""
        level = self.lows.sum() / self.queries
        for _ in range(STEPS):
            outside = self._nearest(level)
            moved = outside != 0.0
            if not moved.any():
                return 0.0
            ends = (outside + level * self.sizes)[moved]
            level = float(ends @ self.sizes[moved] / (self.sizes[moved] ** 2).sum())
        outside = self._nearest(level)
        # ‖r‖² ≥ least over ν of what lies outside: convex in ν, so its tangent bounds it.
        slope = -2.0 * float(outside @ self.sizes)
        rates = np.concatenate([self.lows, self.highs]) / np.tile(self.sizes, 2)
        away = max(abs(rates.max() - level), abs(rates.min() - level))
        return math.sqrt(max(float(outside @ outside) - abs(slope) * away, 0.0))

    def _nearest(self, level: float) -> Values:
        """How far each group stays from the level at least, with its sign."""
        at = level * self.sizes
        return np.maximum(self.lows - at, 0.0) + np.minimum(self.highs - at, 0.0)

    def raisable(self) -> Numbers:
        """The groups that may be raised where L is least."""
        level = self.lows.sum() / self.queries
        needed = self.share * self.least_norm() - SLACK
        able = (self.highs > self.lows) & (self.highs - level * self.sizes >= needed)
        return np.asarray(np.flatnonzero(able), np.int64)

    def outer(self, able: Numbers) -> float:
        """No more than L where at most `most_raised` of some groups are raised.

        The mean is that of the low ends; the spread is taken around it, the most distant raised.
        """
        level = self.lows.sum() / self.queries
        low = (self.lows - level * self.sizes) ** 2
        more = (self.highs - level * self.sizes)[able] ** 2 - low[able]
        most = np.sort(np.maximum(more, 0.0))[::-1][: self.most_raised]
        # ‖S − m·n‖ ≤ ‖S − ν·n‖ · √(G Σn²)/Σn for every ν: the norm of that projection.
        uneven = math.sqrt(len(self.sizes) * float((self.sizes**2).sum())) / self.queries
        spread = uneven * math.sqrt(float(low.sum() + most.sum()))
        return float(level) - self.reach * spread / self.queries


def least_low(lows: Values, highs: Values, groups: Numbers, alpha: float) -> LeastLow | None:
    """The least L that differences between these ends can have, by query group.

    The greatest U is minus the least L of the negated ends.

    Args:
        lows: the least difference of each query.
        highs: the greatest.
        groups: group number of each query.
        alpha: one-sided.

    Returns:
        The least cluster-robust t bound; None below two groups.
    """
    _, numbers = np.unique(groups, return_inverse=True)
    sizes = np.bincount(numbers).astype(np.float64)
    count = len(sizes)
    if count < 2:
        return None
    return least_of(
        Box(
            np.asarray(np.bincount(numbers, weights=lows), np.float64),
            np.asarray(np.bincount(numbers, weights=highs), np.float64),
            sizes,
            reach_of(alpha, count),
        )
    )


def reach_of(alpha: float, groups: int) -> float:
    """κ of so many groups; falls as they grow more."""
    return critical(alpha, groups) * math.sqrt(groups / (groups - 1))


def least_of(box: Box) -> LeastLow:
    """The least mean − reach · ‖r‖ / Σn in a box."""
    able = box.raisable()
    tried = list(_sets(able, box.most_raised))
    found = [(box.lows_of(sets), sets) for sets in tried]
    values = np.concatenate([some for some, _ in found])
    members = [one for _, sets in found for one in sets]
    place = int(values.argmin())
    exact = sum(math.comb(len(able), size) for size in range(box.most_raised + 1)) <= len(values)
    value = float(values[place]) if exact else min(box.outer(able), float(values[place]))
    return LeastLow(value, np.asarray(members[place], np.int64), exact)


def _sets(able: Numbers, most: int) -> Iterator[Numbers]:
    """The sets of up to so many groups, by their number, as long as there are few."""
    room = SETS
    for size in range(min(most, len(able)) + 1):
        number = math.comb(len(able), size)
        room -= number
        # No group and each group alone are always tried.
        if room < 0 and size > 1:
            return
        yield np.array(list(combinations(able.tolist(), size)), np.int64).reshape(number, size)
