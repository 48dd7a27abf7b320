"""The fused scores of many configurations, for all queries at once, to the last bit of `fuse`."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from pipeline.fusion import METHODS
from pipeline.fusion.combine import Combine, descending_sum, greatest, sum_times_count
from pipeline.sweep.arrays import Items
from pipeline.sweep.collapsed import Reals, Wholes
from pipeline.sweep.families import Family

# Per branch: what its entries are worth, (configurations, cells), at some cells or at all.
Worth = Callable[[int, Wholes | None, Reals | None], Reals]


class Scorer:
    """Scores the configurations of one family on some queries, some of them at a time.

    Args:
        family: the configurations.
        items: the items, at the family's depths.
        past_depth: as for `families`.

    Raises:
        ContractError: a method on scores meets a branch without.
    """

    def __init__(self, family: Family, items: Items, *, past_depth: bool) -> None:
        self._family, self._items = family, items
        self._flat = [rank.ravel() for rank in items.ranks]
        method = METHODS[family.method]
        absent_counts = past_depth and not method.needs_scores
        depths = [depth for _, depth in items.depths]
        counting = [
            (rank > 0) & (absent_counts | (rank <= depth))
            for rank, depth in zip(self._flat, depths, strict=True)
        ]
        present = [(r > 0) & (r <= depth) for r, depth in zip(self._flat, depths, strict=True)]
        # A sum of two is the same either way: only where more are added does their order matter.
        self._crowded = np.flatnonzero(np.sum(counting, axis=0) > 2)
        self._count = np.sum(present, axis=0).astype(np.float64)
        self._spread = self._spread_scores() if method.needs_scores else []
        self._combine = COMBINED[method.combine]
        self.signed = any(np.signbit(values).any() for values in (*family.tables, *self._spread))

    def score(self, chosen: slice, out: Reals, spare: Reals) -> None:
        """Fills (configurations, cells): the scores of some; empty cells hold 0.

        Args:
            chosen: which of the family's configurations.
            out: where to put them.
            spare: the same shape, overwritten.
        """

        def worth(branch: int, cells: Wholes | None, into: Reals | None) -> Reals:
            return self._worth(chosen, branch, cells, into)

        self._combine(worth, len(self._flat), out, spare)
        if len(self._crowded) and METHODS[self._family.method].combine is not greatest:
            apart = [worth(branch, self._crowded, None) for branch in range(len(self._flat))]
            out[:, self._crowded] = _descending(apart)
        if METHODS[self._family.method].combine is sum_times_count:
            np.multiply(out, self._count, out=out)

    def _worth(self, chosen: slice, branch: int, cells: Wholes | None, into: Reals | None) -> Reals:
        if self._family.tables:
            ranks = self._flat[branch] if cells is None else self._flat[branch][cells]
            table = self._family.tables[branch][chosen]
            # Ranks never leave the table; "clip" spares numpy a copy that "raise" would make.
            return np.take(table, ranks, axis=1, out=into, mode="clip")
        values = self._spread[branch] if cells is None else self._spread[branch][cells]
        weights = self._family.weights[chosen, branch]
        scored: Reals = np.multiply(weights[:, None], values, out=into)
        return scored

    def _spread_scores(self) -> list[Reals]:
        entries, (rows, columns) = self._items.entries, self._items.shape
        values = METHODS[self._family.method].contribution(entries)
        found = []
        for branch in range(len(entries.names)):
            mine = (entries.branch == branch) & (self._items.cell >= 0)
            spread = np.zeros(rows * columns)
            spread[self._items.cell[mine]] = values[mine]
            found.append(spread)
        return found


def _add(worth: Worth, branches: int, out: Reals, spare: Reals) -> None:
    worth(0, None, out)
    for branch in range(1, branches):
        np.add(out, worth(branch, None, spare), out=out)


def _most(worth: Worth, branches: int, out: Reals, spare: Reals) -> None:
    worth(0, None, out)
    for branch in range(1, branches):
        np.maximum(out, worth(branch, None, spare), out=out)


COMBINED: Mapping[Combine, Callable[[Worth, int, Reals, Reals], None]] = {
    descending_sum: _add,
    sum_times_count: _add,
    greatest: _most,
}
"""How each way of combining is done for whole arrays."""


def _descending(values: Sequence[Reals]) -> Reals:
    """The sum over branches, added from the greatest on, as `descending_sum` does by column."""
    ordered = list(values)
    # A network of exchanges: for the few branches there are, far cheaper than sorting each cell.
    for last in range(len(ordered) - 1, 0, -1):
        for place in range(last):
            one, other = ordered[place], ordered[place + 1]
            ordered[place], ordered[place + 1] = np.maximum(one, other), np.minimum(one, other)
    total = ordered[0]
    for value in ordered[1:]:
        total = total + value
    return total
