"""The fused order from scores: one integer key per item, sorted; exact ties by the contract.

A key holds a score's leading bits, turned so that higher scores come first, and in place of its
last bits the item's column. Where the lost bits would have decided, the row is ordered again by
its whole scores.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.sweep.collapsed import Flags, Reals, Wholes

LAST = np.int64(np.iinfo(np.int64).max)
SHORT = 256
"""So many keys numpy sorts in one network of registers, several times faster than it would part
them."""
PACE = 64
"""So many keys a network must add to the best so far to be worth it: parting them costs as much."""


@dataclass(frozen=True, slots=True)
class Order:
    """The fused order of some rows, as far as it is asked for.

    Args:
        top: (rows, at most `first`) columns, best first; past a row's last item, empty cells.
        limits: cutoff to (rows,): the key of the last item within it; none of a cutoff that is
            not below the number of columns, within which everything stands.
        redone: rows whose keys did not decide.
        exact: (redone, columns): in those rows, each column's place, from 0, which stands for
            its key; their limits are places too.
    """

    top: Wholes
    limits: dict[int, Wholes]
    redone: Wholes
    exact: Wholes


class Keys:
    """Makes keys of rows with one number of columns and one set of empty cells.

    Args:
        filled: (rows,), how many leading columns hold items.
        columns: how many there are.
    """

    def __init__(self, filled: Wholes, columns: int) -> None:
        self.tail = np.int64((1 << max(columns - 1, 0).bit_length()) - 1)
        self.columns = columns
        self._own = np.arange(columns, dtype=np.int64)
        # Written out for every row: numpy is slow to repeat a short one.
        self._turned = np.tile(~self._own, len(filled))
        self._empty = np.flatnonzero(self._own >= filled[:, None])

    def fill(self, scores: Reals, keys: Wholes, *, signed: bool) -> None:
        """Fills keys from scores, both (configurations, rows · columns).

        Args:
            scores: finite; 0 in empty cells, -∞ afterwards where any score may be negative.
            keys: where to put them.
            signed: whether any score may be negative, or -0.0.
        """
        if not signed:
            # Bits of numbers from 0 on rise with them; empty cells stand last by their columns.
            np.bitwise_or(scores.view(np.int64), self.tail, out=keys)
            np.bitwise_xor(keys, self._turned, out=keys)
            return
        scores[:, self._empty] = -np.inf
        scores += 0.0  # -0.0 and 0.0 are one score
        bits = scores.view(np.int64)
        keys[...] = ~(bits ^ ((bits >> 63) & LAST)) | self.tail
        keys ^= self._turned ^ ~self.tail

    def order(
        self, keys: Wholes, scores: Reals, *, first: int, cutoffs: Sequence[int] = ()
    ) -> Order:
        """Orders rows; the keys are moved about.

        Args:
            keys: (rows, columns), as from `fill`.
            scores: the same shape; read where keys do not decide.
            first: how many of the first are wanted in order.
            cutoffs: of which the items within are wanted, in any order.
        """
        first = min(first, self.columns)
        inner = [cutoff for cutoff in cutoffs if cutoff < self.columns]
        self._arrange(keys, first, inner)
        seen = keys[:, : first + 1]
        top = (seen & self.tail)[:, :first]
        limits = {cutoff: keys[:, cutoff - 1].copy() for cutoff in inner}
        wrong: Flags = self._misordered(seen, scores)
        for cutoff in {*inner, first} - {0}:
            if cutoff < self.columns:
                wrong = wrong | self._misplaced(keys, scores, cutoff)
        redone = np.flatnonzero(wrong)
        exact = np.empty((len(redone), self.columns), dtype=np.int64)
        if len(redone):
            order = np.argsort(-scores[redone], axis=1, kind="stable")
            np.put_along_axis(exact, order, np.broadcast_to(self._own, order.shape), axis=1)
            top[redone] = order[:, :first]
            for cutoff, limit in limits.items():
                limit[redone] = cutoff - 1
        return Order(top, limits, redone, exact)

    def _arrange(self, keys: Wholes, first: int, cutoffs: Sequence[int]) -> None:
        """Sorts the first, and puts at each cutoff, and next to it, what a sort would put there."""
        wanted = min(max(first, *cutoffs, 0) + 1, self.columns)
        if 1 < wanted <= SHORT - PACE:
            self._arrange_by_networks(keys, wanted)
            return
        edges = sorted({p for c in (first, *cutoffs) if c for p in (c - 1, c) if p < self.columns})
        if not edges:
            return
        if self.columns <= SHORT or 2 * first > self.columns:
            keys.sort(axis=1)
            return
        keys.partition(edges, axis=1)
        keys[:, : first + 1].sort(axis=1)

    def _arrange_by_networks(self, keys: Wholes, wanted: int) -> None:
        """Sorts the wanted first: window by window from the end, each with the best so far."""
        stop = self.columns
        while stop > SHORT:
            keys[:, stop - SHORT : stop].sort(axis=1)
            stop += wanted - SHORT
        keys[:, :stop].sort(axis=1)

    def _misordered(self, seen: Wholes, scores: Reals) -> Flags:
        close = (seen[:, 1:] ^ seen[:, :-1]).view(np.uint64) <= np.uint64(self.tail)
        wrong: Flags = np.asarray(close.any(axis=1))
        rows = np.flatnonzero(wrong)
        if len(rows):
            ranked = np.take_along_axis(scores[rows], seen[rows] & self.tail, axis=1)
            wrong[rows] = (ranked[:, 1:] > ranked[:, :-1]).any(axis=1)
        return wrong

    def _misplaced(self, keys: Wholes, scores: Reals, cutoff: int) -> Flags:
        last, next_ = keys[:, cutoff - 1], keys[:, cutoff]
        wrong: Flags = np.less_equal((last ^ next_).view(np.uint64), np.uint64(self.tail))
        rows = np.flatnonzero(wrong)
        if len(rows):
            same = (keys[rows] ^ last[rows, None]).view(np.uint64) <= np.uint64(self.tail)
            mine = np.take_along_axis(scores[rows], keys[rows] & self.tail, axis=1)
            low = np.where(same, mine, np.inf).min(axis=1)
            wrong[rows] = low < np.where(same, mine, -np.inf).max(axis=1)
        return wrong


def fused_order(scores: Reals, returned: Wholes, depth: int) -> Wholes:
    """The columns of each row's items, highest score first, equal scores by column.

    Args:
        scores: (queries, columns), finite.
        returned: (queries,), how many leading columns hold items; they come first.
        depth: how many are wanted.

    Returns:
        (queries, at most depth) columns; past a row's last item, empty cells in any order.
    """
    maker = Keys(returned, scores.shape[1])
    if not scores.shape[1]:
        return np.zeros(scores.shape, dtype=np.int64)
    flat = scores.reshape(1, -1).copy()
    keys: npt.NDArray[np.int64] = np.empty(flat.shape, dtype=np.int64)
    maker.fill(flat, keys, signed=True)
    ordered = maker.order(keys.reshape(scores.shape), flat.reshape(scores.shape), first=depth)
    return ordered.top
