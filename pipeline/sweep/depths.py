"""Depths come first: the least declared one that recalls as much as the deepest."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.grid.depth_choice import least_depths
from pipeline.grid.differences import Grouping
from pipeline.grid.points import depths_at, distinct_depths
from pipeline.params import Params
from pipeline.sweep.arrays import Items, arrange_items
from pipeline.sweep.blocks import Blocks
from pipeline.sweep.collapsed import Reals
from pipeline.sweep.truth import Judged
from pipeline.tables import DEPTH_RECALL


@dataclass(frozen=True, slots=True)
class DepthRecall:
    """What each declared depth would let fusion find.

    Args:
        depths: rising; one where there is nothing to choose.
        queries: of dev, in the order of the values.
        values: (depths, queries): the share of relevant evidence that the union of the branches
            holds: no fusion can promote the rest. Empty where there is nothing to choose.
    """

    depths: Sequence[int]
    queries: Sequence[str]
    values: Reals

    @classmethod
    def of(cls, candidates: pl.DataFrame, judged: Judged, params: Params) -> "DepthRecall":
        """From the candidates; nothing to choose in a joint grid, and where no query can tell."""
        depths, queries = distinct_depths(params), list(judged.queries)
        if len(depths) == 1 or params.sweep.joint or not queries:
            return cls(depths[-1:], queries, np.empty((0, len(queries))))
        return cls(depths, queries, union_recall(candidates, depths, judged, params))

    def choose(self, grouping: Grouping, weightings: Reals) -> list[int]:
        """The depth at which fusion is tried, once per weighting of the groups.

        Cost is what a depth asks of every branch, so of all depths whose recall is not told apart
        from the deepest's the least is taken, see `least_depths`.

        Args:
            grouping: the groups of the queries.
            weightings: (weightings, groups), how often each group counts.

        Returns:
            One declared depth per weighting.
        """
        if len(self.depths) == 1:
            return list(self.depths) * len(weightings)
        places = least_depths(grouping.sums(self.values), grouping.counts, weightings)
        return [self.depths[place] for place in places]

    def table(self) -> pl.DataFrame:
        """DEPTH_RECALL; empty where there is nothing to choose."""
        rows = [
            {"depth": depth, "query_id": query, "recall": value}
            for depth, line in zip(self.depths, self.values.tolist(), strict=False)
            for query, value in zip(self.queries, line, strict=True)
        ]
        return DEPTH_RECALL.check(pl.DataFrame(rows, schema=dict(DEPTH_RECALL.columns)))


def union_recall(
    candidates: pl.DataFrame, depths: Sequence[int], judged: Judged, params: Params
) -> Reals:
    """(depths, queries): the share of relevant evidence that the fused branches hold together."""
    cuts = [depths_at(params, depth) for depth in depths]
    branches = sorted(params.fused_branches)
    greatest = {name: max(cut[name] for cut in cuts) for name in branches}
    blocks = Blocks.of(candidates, greatest, judged, params.fusion)
    recalls = np.empty((len(depths), len(judged.queries)))
    for block in range(len(blocks)):
        lists, known = blocks.collapsed(block)
        for number, cut in enumerate(cuts):
            items = arrange_items(lists, tuple((n, cut[n]) for n in branches), params.fusion)
            recalls[number, blocks.queries(block)] = _recall(items, known)
    return recalls


def _recall(items: Items, judged: Judged) -> Reals:
    found = (items.grades >= judged.rel).astype(np.float64)
    if items.evidence is not None:
        found = _once(found, items.evidence)
    recall: Reals = found.sum(axis=1) / judged.truth.relevant(judged.rel)
    return recall


def _once(found: Reals, evidence: np.ndarray) -> Reals:
    held = [len(set(codes[hits > 0])) for codes, hits in zip(evidence, found, strict=True)]
    return np.array(held, dtype=np.float64)[:, None]


def axis(params: Params, chosen: int) -> Sequence[int]:
    """The depths of the grid: the chosen one, or in a joint grid all that are declared."""
    return distinct_depths(params) if params.sweep.joint else [chosen]
