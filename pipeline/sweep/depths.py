"""Depths come first: the least declared one that recalls as much as the deepest."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from pipeline.grid.differences import DUST, Grouping, paired_errors
from pipeline.grid.points import depths_at, distinct_depths
from pipeline.params import Params
from pipeline.sweep.arrays import Items, arrange_items
from pipeline.sweep.blocks import Blocks
from pipeline.sweep.collapsed import Reals
from pipeline.sweep.truth import Judged


def choose_depths(
    candidates: pl.DataFrame,
    judged: Judged,
    grouping: Grouping,
    weightings: Reals,
    params: Params,
) -> list[int]:
    """The depth at which fusion is tried, once per weighting of the groups.

    Cost is what a depth asks of every branch, so of all depths whose recall is not told apart
    from the deepest's the least is taken: mean paired difference ≤ one standard error, by group.
    Recall is the share of a query's relevant evidence that the union of the branches holds: no
    fusion can promote the rest.

    Args:
        candidates: CANDIDATES.
        judged: the queries of dev.
        grouping: their groups.
        weightings: (weightings, groups), how often each group counts.
        params: sections sweep, candidates, fusion.

    Returns:
        One declared depth per weighting; the deepest where no query can tell, and in a joint
        grid, which leaves depths to selection.
    """
    depths = distinct_depths(params)
    if len(depths) == 1 or params.sweep.joint or not judged.queries:
        return [depths[-1]] * len(weightings)
    recalls = union_recall(candidates, depths, judged, params)
    sums = grouping.sums(recalls)
    return [depths[_least(sums, grouping.counts, weighting)] for weighting in weightings]


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


def _least(sums: Reals, counts: Reals, weighting: Reals) -> int:
    behind = np.einsum("dg,g->d", sums[-1] - sums, weighting) / (weighting * counts).sum()
    tied = behind <= paired_errors(sums, counts, weighting, len(sums) - 1) + DUST
    return int(tied.argmax())


def axis(params: Params, chosen: int) -> Sequence[int]:
    """The depths of the grid: the chosen one, or in a joint grid all that are declared."""
    return distinct_depths(params) if params.sweep.joint else [chosen]
