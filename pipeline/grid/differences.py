"""Paired differences between configurations, by query group."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.measures import parse_measure

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]

DUST = 1e-12
"""Differences this small are rounding, not quality."""

CELLS = 1_000_000  # values put in another order at once


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which queries belong together.

    Args:
        order: the queries, those of a group side by side.
        starts: where each group starts in that order.
        counts: (groups,), queries per group.
    """

    order: Wholes
    starts: Wholes
    counts: Reals

    @classmethod
    def of(cls, groups: Wholes) -> "Grouping":
        """From one group number per query, from 0, none left out."""
        counts = np.bincount(groups).astype(np.float64)
        starts = np.concatenate(([0.0], np.cumsum(counts)))[:-1].astype(np.int64)
        return cls(np.argsort(groups, kind="stable"), starts, counts)

    def sums(self, values: Reals) -> Reals:
        """(…, groups): values (…, queries) added up within each group."""
        if not len(self.starts):
            return np.zeros((*values.shape[:-1], 0))
        rows = values.reshape(-1, values.shape[-1])
        added = np.empty((len(rows), len(self.starts)))
        # Some rows at a time: the values in another order are never there as a whole.
        step = max(1, CELLS // rows.shape[1])
        for start in range(0, len(rows), step):
            some = slice(start, start + step)
            added[some] = np.add.reduceat(rows[some][:, self.order], self.starts, axis=1)
        return added.reshape(*values.shape[:-1], len(self.starts))


def paired_errors(sums: Reals, counts: Reals, weighting: Reals, best: int) -> Reals:
    """The standard error of each point's mean paired difference to one of them, by group.

    √(G/(G−1) Σ_g w_g (Σ_{i∈g} (d_i − mean))²) / n, with w_g how often a group counts, G = Σ w_g,
    n = Σ w_g n_g; 0 where fewer than two groups count: one group shows no spread.

    Args:
        sums: (points, groups), values summed within each group.
        counts: (groups,), queries per group.
        weighting: (groups,), how often each group counts.
        best: the point that the others are compared with.

    Returns:
        (points,)
    """
    counted = np.flatnonzero(weighting)
    weight, size = weighting[counted], counts[counted]
    groups, queries = weight.sum(), (weight * size).sum()
    if groups < 2:
        return np.zeros(len(sums))
    apart = sums[best, counted] - sums[:, counted]
    # einsum, not a matrix product: its order of additions does not depend on BLAS threads.
    mean = np.einsum("pg,g->p", apart, weight) / queries
    apart -= mean[:, None] * size
    spread = np.einsum("pg,pg,g->p", apart, apart, weight)
    errors: Reals = np.sqrt(spread * groups / (groups - 1)) / queries
    return errors


def direction(measure: str) -> float:
    """1 where more of a measure is better, -1 where less is."""
    return 1.0 if parse_measure(measure).higher_is_better else -1.0
