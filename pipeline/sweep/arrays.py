"""Collapsed lists of one set of branches at one set of depths, as a row of items per query.

What depends on branches and depths only is done once, here: each item's ranks, its
representative's grade, and the order of items among equal scores. A configuration is then a few
array operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.fusion.lists import Entries, places
from pipeline.fusion.settings import Depths
from pipeline.measures import UNJUDGED
from pipeline.params import FusionParams
from pipeline.sweep.collapsed import Collapsed, Flags, Wholes


@dataclass(frozen=True, slots=True)
class Items:
    """The items of every query that a set of branches returns, ready to be scored and measured.

    In a row, items stand by best rank, then id: the contract's order among equal scores. So an
    item's column settles a tie. Cells past a row's last item are empty.

    Args:
        depths: the branches and how deep their lists are read.
        entries: the collapsed lists, one entry per branch, query and item, weights all 1.
        cell: (entries,), the cell of each entry in a flattened (queries, columns) array; -1
            where the item was left out.
        ranks: per branch, (queries, columns): the item's rank; 0 where the cell is empty or the
            branch has no list for the query; depth + 1 where its list lacks the item.
        returned: (queries,), items per row, those left out too.
        filled: (queries,), cells that hold an item, per row.
        grades: (queries, columns), of the representative's evidence; UNJUDGED where none.
        required: (queries, columns), whether that is required evidence.
        evidence: (queries, columns), its code; None where no evidence stands twice in a row.
    """

    depths: Depths
    entries: Entries
    cell: Wholes
    ranks: Sequence[Wholes]
    returned: Wholes
    filled: Wholes
    grades: Wholes
    required: Flags
    evidence: Wholes | None

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, columns."""
        return self.grades.shape[0], self.grades.shape[1]


def arrange_items(
    lists: Collapsed, depths: Depths, fusion: FusionParams, *, wanted: int | None = None
) -> Items:
    """The items of some branches at some depths.

    Args:
        lists: collapsed lists, of these branches at least and as deep as these depths.
        depths: branch and depth pairs, sorted by branch.
        fusion: minima of scores.
        wanted: how many items of a fused list matter; items that so many others precede under
            every method that ranks better what stands higher in the lists are left out. None
            keeps all.
    """
    mine, entries = _entries(lists, depths, fusion)
    row, item, rank = lists.row[mine], lists.item[mine], entries.rank
    head, number = _heads(row, item, rank, lists.position[mine], lists.document[mine])
    kept = _worth_keeping(rank[head], number, wanted)
    order = np.lexsort((item[head], rank[head], row[head]))
    order = order[kept[order]]
    shown = head[order]
    column = places(row[shown]) - 1
    shape = (lists.queries, int(column.max(initial=-1)) + 1)
    flat = row[shown] * shape[1] + column
    cell_of = np.full(len(head), -1, dtype=np.int64)
    cell_of[order] = flat
    cell = cell_of[number] if len(head) else np.empty(0, dtype=np.int64)
    evidence = lists.evidence[mine][shown]
    return Items(
        depths=depths,
        entries=entries,
        cell=cell,
        ranks=_ranks(entries, cell, row, flat, shape),
        returned=np.bincount(row[head], minlength=shape[0]).astype(np.int64),
        filled=np.bincount(row[shown], minlength=shape[0]).astype(np.int64),
        grades=_scatter(lists.grade[mine][shown], flat, shape, UNJUDGED),
        required=_scatter(lists.required[mine][shown].astype(np.int64), flat, shape, 0) > 0,
        evidence=_scatter(evidence, flat, shape, -1) if _repeats(row[shown], evidence) else None,
    )


def _heads(
    row: Wholes, item: Wholes, rank: Wholes, position: Wholes, document: Wholes
) -> tuple[Wholes, Wholes]:
    """The entry that represents each item of each query, and the number of each entry's item.

    The first entry, best first, represents its item and has its best rank.
    """
    key = row * (int(item.max(initial=0)) + 1) + item
    best_first = np.lexsort((document, position, rank, key))
    starts = np.concatenate(([True], np.diff(key[best_first]) != 0))[: len(key)]
    number = np.empty(len(key), dtype=np.int64)
    number[best_first] = np.cumsum(starts) - 1
    return best_first[starts], number


def _worth_keeping(best: Wholes, number: Wholes, wanted: int | None) -> Flags:
    """Which items can come among the wanted first.

    What one branch alone returned stands behind everything that this branch ranks higher: no
    other branch ranks it better than those, and its best rank is worse.
    """
    if wanted is None:
        return np.ones(len(best), dtype=np.bool_)
    kept: Flags = (best <= wanted) | (np.bincount(number, minlength=len(best)) > 1)
    return kept


def _repeats(row: Wholes, evidence: Wholes) -> bool:
    pair = np.sort(row * (int(evidence.max(initial=0)) + 1) + evidence)
    return bool((pair[1:] == pair[:-1]).any())


def _entries(lists: Collapsed, depths: Depths, fusion: FusionParams) -> tuple[Wholes, Entries]:
    """Which entries of the lists lie within the depths, and these."""
    names = [name for name, _ in depths]
    place = np.array([names.index(b) if b in names else -1 for b in lists.branches])
    limit = np.array([dict(depths).get(name, 0) for name in lists.branches], dtype=np.int64)
    mine = np.flatnonzero(lists.position <= limit[lists.branch])
    branch, minima = place[lists.branch[mine]], dict(fusion.minima)
    return mine, Entries(
        list_=branch * lists.queries + lists.row[mine],
        branch=branch,
        rank=lists.rank[mine],
        score=lists.score[mine],
        weights=np.ones(len(names)),
        depths=np.array([depth for _, depth in depths], dtype=np.int64),
        rank_constant=0.0,
        starts=np.arange(len(names), dtype=np.int64),
        minima=np.array([minima.get(name, np.nan) for name in names]),
        names=names,
    )


def _ranks(
    entries: Entries, cell: Wholes, row: Wholes, filled: Wholes, shape: tuple[int, int]
) -> list[Wholes]:
    ranks = []
    for branch, depth in enumerate(entries.depths):
        mine = entries.branch == branch
        has_list = np.zeros(shape[0], dtype=np.bool_)
        has_list[row[mine]] = True
        rank = np.zeros(shape[0] * shape[1], dtype=np.int64)
        rank[filled] = np.where(has_list[filled // max(shape[1], 1)], depth + 1, 0)
        mine &= cell >= 0
        rank[cell[mine]] = entries.rank[mine]
        ranks.append(rank.reshape(shape))
    return ranks


def _scatter(values: Wholes, flat: Wholes, shape: tuple[int, int], empty: int) -> Wholes:
    array = np.full(shape[0] * shape[1], empty, dtype=np.int64)
    array[flat] = values
    return array.reshape(shape)
