"""The fused scores of a configuration, for all queries at once, to the last bit of `fuse`."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pipeline.fusion import METHODS, Configuration, Method
from pipeline.fusion.combine import descending_sum
from pipeline.fusion.lists import Entries
from pipeline.params import FusionParams
from pipeline.sweep.arrays import Items, Reals


class Scorer:
    """Scores configurations of one set of branches and depths.

    The methods' own functions make every value. Those that look at ranks give the same value at
    the same rank, so they are asked once per rank; those that look at scores give a value that
    the weight multiplies, so they are asked once per method.
    """

    def __init__(self, items: Items, fusion: FusionParams) -> None:
        self._items, self._past_depth = items, fusion.missing == "past_depth"
        self._normalised: dict[str, Sequence[Reals]] = {}
        self._present = [(rank > 0) & (rank <= depth) for rank, depth in self._ranks_and_depths()]

    def scores(self, configuration: Configuration) -> Reals:
        """(queries, columns): the fused scores; empty cells hold any finite number.

        Raises:
            ContractError: a method on scores meets a branch without.
        """
        method = METHODS[configuration.method]
        by = self._by_score if method.needs_scores else self._by_rank
        values = by(method, configuration)
        if method.combine is descending_sum:
            return sum_descending(values)
        stacked = np.stack([value.ravel() for value in values], axis=1)
        present = np.stack([here.ravel() for here in self._present], axis=1)
        return method.combine(stacked, present).reshape(self._items.shape)

    def _ranks_and_depths(self) -> list[tuple[np.ndarray, int]]:
        depths = [depth for _, depth in self._items.depths]
        return list(zip(self._items.ranks, depths, strict=True))

    def _by_rank(self, method: Method, configuration: Configuration) -> list[Reals]:
        entries = _every_rank(self._items.entries, configuration)
        values, past = method.contribution(entries), method.absent(entries)
        found = []
        for branch, (ranks, depth) in enumerate(self._ranks_and_depths()):
            table = np.zeros(depth + 2)
            table[1 : depth + 1] = values[entries.branch == branch]
            table[depth + 1] = past[branch] if self._past_depth else 0.0
            found.append(table.take(ranks))
        return found

    def _by_score(self, method: Method, configuration: Configuration) -> list[Reals]:
        name = configuration.method
        if name not in self._normalised:
            self._normalised[name] = self._spread(method.contribution(self._items.entries))
        weights = [weight for _, weight in configuration.weights]
        return [w * value for w, value in zip(weights, self._normalised[name], strict=True)]

    def _spread(self, values: Reals) -> list[Reals]:
        entries, (rows, columns) = self._items.entries, self._items.shape
        found = []
        for branch in range(len(entries.names)):
            mine = entries.branch == branch
            spread = np.zeros(rows * columns)
            spread[self._items.cell[mine]] = values[mine]
            found.append(spread.reshape(rows, columns))
        return found


def sum_descending(values: Sequence[Reals]) -> Reals:
    """The sum over branches, added from the greatest on, as `descending_sum` does by column."""
    ordered = list(values)
    # A network of exchanges: for the few branches there are, far cheaper than sorting each cell.
    # Two need none, a sum of two is the same either way.
    exchanges = range(len(ordered) - 1, 0, -1) if len(ordered) > 2 else ()
    for last in exchanges:
        for place in range(last):
            one, other = ordered[place], ordered[place + 1]
            ordered[place], ordered[place + 1] = np.maximum(one, other), np.minimum(one, other)
    total = ordered[0]
    for value in ordered[1:]:
        total = total + value
    return total


def _every_rank(entries: Entries, configuration: Configuration) -> Entries:
    """One entry for every rank that a branch can give."""
    order = list(configuration.order or configuration.branches)
    branch = np.repeat(np.arange(len(entries.depths)), entries.depths)
    return replace(
        entries,
        list_=branch,
        branch=branch,
        rank=np.concatenate([np.arange(1, depth + 1) for depth in entries.depths]),
        score=np.full(len(branch), np.nan),
        weights=np.array([weight for _, weight in configuration.weights]),
        rank_constant=configuration.rank_constant or 0.0,
        starts=np.array([order.index(name) for name in entries.names], dtype=np.int64),
    )
