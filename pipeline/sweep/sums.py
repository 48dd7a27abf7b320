"""Means and paired differences of a sweep's values, some configurations at a time."""

from collections.abc import Sequence

import numpy as np

from pipeline.grid.differences import Grouping, Reals, paired_errors
from pipeline.sweep.store import Values


class Sums:
    """Means, and errors of paired differences, of some configurations at a time."""

    def __init__(self, values: Values, directions: Sequence[float], grouping: Grouping) -> None:
        self._directions, self._grouping = directions, grouping
        self._undefined = values.undefined
        self._counts = [grouping.sums(np.where(gone, 0.0, 1.0)) for gone in values.undefined]

    def means(self, values: Reals) -> Reals:
        """(configurations, measures): more is better; NaN where no query is defined."""
        found = np.full(values.shape[:2], np.nan)
        for n, counts in enumerate(self._counts):
            if counts.sum():
                total = np.einsum("pg->p", self._grouped(values[:, n], n))
                found[:, n] = np.round(total / counts.sum(), 12)
        return found

    def errors(self, values: Reals, rivals: Sequence[Reals]) -> Reals:
        """(configurations, measures): of the difference to each measure's rival."""
        found = np.full(values.shape[:2], np.nan)
        for n, counts in enumerate(self._counts):
            if counts.sum():
                both = np.concatenate([values[:, n], rivals[n][n][None]])
                counted = (counts > 0).astype(np.float64)
                errors = paired_errors(self._grouped(both, n), counts, counted, len(both) - 1)
                found[:, n] = errors[:-1]
        return found

    def _grouped(self, values: Reals, n: int) -> Reals:
        known = np.where(self._undefined[n], 0.0, values)
        return self._grouping.sums(known * self._directions[n])
