"""The fused scores of many configurations, for all queries at once, to the last bit of `fuse`."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.fusion import METHODS
from pipeline.fusion.combine import Combine, descending_sum, greatest, sum_times_count
from pipeline.sweep.arrays import Items
from pipeline.sweep.collapsed import Reals
from pipeline.sweep.crowded import Crowded
from pipeline.sweep.families import Family

# Per cell, the rank of an item in a branch, or its score there.
Read = npt.NDArray[Any]

# Fills (configurations, cells) with what a branch's entries are worth there.
Worth = Callable[[int, Reals], Reals]


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
        ranks = [rank.ravel() for rank in items.ranks]
        method = METHODS[family.method]
        absent_counts = past_depth and not method.needs_scores
        present = [
            (rank > 0) & (rank <= depth)
            for rank, (_, depth) in zip(ranks, items.depths, strict=True)
        ]
        counting = [rank > 0 for rank in ranks] if absent_counts else present
        self._count = np.sum(present, axis=0).astype(np.float64)
        self._read: Sequence[Read] = self._spread_scores() if method.needs_scores else ranks
        crowded = np.flatnonzero(np.sum(counting, axis=0) > 2)
        if method.combine is greatest:
            crowded = crowded[:0]
        self._crowded = Crowded(crowded, len(self._count), len(ranks))
        self._read_apart = [read[crowded] for read in self._read]
        self._combine = COMBINED[method.combine]
        known = (*family.tables, *(self._read if method.needs_scores else ()))
        self.signed = any(np.signbit(values).any() for values in known)

    def score(self, chosen: slice, out: Reals, spare: Reals) -> None:
        """Fills (configurations, cells): the scores of some; empty cells hold 0.

        Args:
            chosen: which of the family's configurations.
            out: where to put them, in one piece.
            spare: the same shape, overwritten.
        """
        self._combine(partial(self._worth, chosen, self._read), len(self._read), out, spare)
        if len(self._crowded.cells):
            room = self._crowded.room(len(out))
            for branch, into in enumerate(room[:-1]):
                self._worth(chosen, self._read_apart, branch, into)
            self._crowded.settle(room, out)
        if METHODS[self._family.method].combine is sum_times_count:
            np.multiply(out, self._count, out=out)

    def _worth(self, chosen: slice, read: Sequence[Read], branch: int, into: Reals) -> Reals:
        if self._family.tables:
            table = self._family.tables[branch][chosen]
            # Ranks never leave the table; "clip" spares numpy a copy that "raise" would make.
            return np.take(table, read[branch], axis=1, out=into, mode="clip")
        weights = self._family.weights[chosen, branch]
        return np.multiply(weights[:, None], read[branch], out=into)

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
    worth(0, out)
    for branch in range(1, branches):
        np.add(out, worth(branch, spare), out=out)


def _most(worth: Worth, branches: int, out: Reals, spare: Reals) -> None:
    worth(0, out)
    for branch in range(1, branches):
        np.maximum(out, worth(branch, spare), out=out)


COMBINED: Mapping[Combine, Callable[[Worth, int, Reals, Reals], None]] = {
    descending_sum: _add,
    sum_times_count: _add,
    greatest: _most,
}
"""How each way of combining is done for whole arrays."""
