"""The lower t bounds of mean gains, and what they become when one query's gains change."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.bounds.ratio import Reals
from pipeline.statistics.groups import Numbers
from pipeline.statistics.student import critical


@dataclass(frozen=True, slots=True)
class Bounds:
    """Means and their lower bounds; any leading axes, rivals last.

    Args:
        means: mean gains.
        lows: lower t bounds.
    """

    means: Reals
    lows: Reals


@dataclass(frozen=True, slots=True)
class Plan:
    """How queries form groups, and how far a bound reaches at this level.

    Args:
        groups: group number of each query, from 0 without gaps.
        reach: the t value at α with groups − 1 degrees of freedom.
    """

    groups: Numbers
    reach: float

    @classmethod
    def of(cls, groups: Numbers, alpha: float) -> "Plan":
        """For at least two groups."""
        return cls(groups, critical(alpha, int(groups.max()) + 1))

    def bounds(self, gains: Reals) -> Bounds:
        """Of gains (queries, rivals)."""
        sums = self._sums(gains)
        sizes = np.bincount(self.groups).astype(np.float64)
        return self._of(
            gains.sum(axis=0),
            (sums**2).sum(axis=0),
            (sums * sizes[:, np.newaxis]).sum(axis=0),
        )

    def bounds_after(self, gains: Reals, queries: Sequence[int], changed: Reals) -> Bounds:
        """For each change by itself: the bounds with one query's gains replaced.

        Args:
            gains: (queries, rivals), as they are.
            queries: for each change the query's place.
            changed: (changes, rivals), its gains after it.
        """
        places = np.asarray(queries, dtype=np.int64)
        sums = self._sums(gains)
        sizes = np.bincount(self.groups).astype(np.float64)
        moved = changed - gains[places]
        own, size = sums[self.groups[places]], sizes[self.groups[places]][:, np.newaxis]
        return self._of(
            gains.sum(axis=0) + moved,
            (sums**2).sum(axis=0) + 2.0 * own * moved + moved**2,
            (sums * sizes[:, np.newaxis]).sum(axis=0) + size * moved,
        )

    def _sums(self, gains: Reals) -> Reals:
        return np.stack(
            [np.bincount(self.groups, weights=column) for column in gains.T], axis=1
        ).astype(np.float64)

    def _of(self, totals: Reals, squares: Reals, crossed: Reals) -> Bounds:
        """√(G/(G−1) Σ_g (S_g − mean n_g)²) / n, from sums that one change moves by a step."""
        sizes = np.bincount(self.groups).astype(np.float64)
        count, groups = float(len(self.groups)), len(sizes)
        means = totals / count
        spread = squares - 2.0 * means * crossed + means**2 * float((sizes**2).sum())
        errors = np.sqrt(np.maximum(spread, 0.0) * groups / (groups - 1)) / count
        return Bounds(means, means - self.reach * errors)
