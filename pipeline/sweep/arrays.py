"""Candidates of one set of branches, cut and collapsed, as one row of items per query.

What depends on branches and depths only is done once, here: the collapsed ranks, each item's
representative, its grade, and the order of items among equal scores. A configuration is then a
few array operations.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.fusion.check import check_lists
from pipeline.fusion.collapse import ordered_lists
from pipeline.fusion.lists import Entries, Lists, encode, places
from pipeline.fusion.settings import Depths
from pipeline.measures import UNJUDGED
from pipeline.params import FusionParams
from pipeline.sweep.truth import Judged

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Items:
    """The items of every query that a set of branches returns, ready to be scored and measured.

    In a row, items stand by best rank, then id: the contract's order among equal scores. So an
    item's column settles a tie. Cells past a row's last item are empty.

    Args:
        depths: the branches and how deep their lists are read.
        entries: the collapsed lists, one entry per branch, query and item, weights all 1.
        cell: (entries,), the cell of each entry in a flattened (queries, columns) array.
        ranks: per branch, (queries, columns): the item's rank; 0 where the cell is empty or the
            branch has no list for the query; depth + 1 where its list lacks the item.
        returned: (queries,), items per row.
        grades: (queries, columns), of the representative's evidence; UNJUDGED where none.
        required: (queries, columns), whether that is required evidence.
        evidence: (queries, columns), its code; None where no evidence stands twice in a row.
    """

    depths: Depths
    entries: Entries
    cell: Wholes
    ranks: Sequence[Wholes]
    returned: Wholes
    grades: Wholes
    required: Flags
    evidence: Wholes | None

    @property
    def shape(self) -> tuple[int, int]:
        """Queries, columns."""
        return self.grades.shape[0], self.grades.shape[1]

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches' names, sorted."""
        return tuple(name for name, _ in self.depths)


def arrange_items(
    candidates: pl.DataFrame, depths: Depths, judged: Judged, fusion: FusionParams
) -> Items:
    """The items of some branches at some depths.

    Args:
        candidates: CANDIDATES; other branches and other queries are passed over.
        depths: branch and depth pairs, sorted by branch.
        judged: the queries, in the order of the rows, and what is known about them.
        fusion: level, and what to do with repeated documents.

    Raises:
        ContractError: a list breaks the rules of fusion.
    """
    branches = [name for name, _ in depths]
    taking_part = candidates.filter(
        pl.col("branch").is_in(branches), pl.col("query_id").is_in(judged.queries)
    )
    lists = ordered_lists(
        check_lists(taking_part), level=fusion.level, depths=dict(depths), rule=fusion.duplicates
    )
    return _items(lists, depths, judged, fusion)


def _items(lists: Lists, depths: Depths, judged: Judged, fusion: FusionParams) -> Items:
    row, branch = _rows_and_branches(lists, depths, judged)
    key = row * (int(lists.item.max(initial=0)) + 1) + lists.item
    # The first row of each item, best first, is its representative and has its best rank.
    best_first = np.lexsort((lists.document, lists.position, lists.rank, key))
    head = best_first[np.concatenate(([True], np.diff(key[best_first]) != 0))[: len(key)]]
    head = head[np.lexsort((lists.item[head], lists.rank[head], row[head]))]
    column = places(row[head]) - 1
    shape = (len(judged.queries), int(column.max(initial=-1)) + 1)
    flat = row[head] * shape[1] + column
    by_key = np.argsort(key[head])
    cell = flat[by_key[np.searchsorted(key[head], key[lists.first], sorter=by_key)]]
    entries = _entries(lists, branch, depths, fusion)
    grades, required, evidence = _worth(lists.rows["evidence_id"][head], row[head], judged)
    return Items(
        depths=depths,
        entries=entries,
        cell=cell,
        ranks=_ranks(entries, cell, row[lists.first], flat, shape),
        returned=np.bincount(row[head], minlength=shape[0]).astype(np.int64),
        grades=_scatter(grades, flat, shape, UNJUDGED),
        required=_scatter(required, flat, shape, 0).astype(np.bool_),
        evidence=None if evidence is None else _scatter(evidence, flat, shape, -1),
    )


def _rows_and_branches(lists: Lists, depths: Depths, judged: Judged) -> tuple[Wholes, Wholes]:
    # Codes count what occurs in these lists; rows and depths count all queries and branches.
    names = [name for name, _ in depths]
    present = lists.rows["branch"].unique().sort().to_list()
    branch = np.array([names.index(name) for name in present], dtype=np.int64)
    row = np.array([judged.rows[query] for query in lists.queries], dtype=np.int64)
    return row[lists.query], branch[lists.branch]


def _entries(lists: Lists, branch: Wholes, depths: Depths, fusion: FusionParams) -> Entries:
    names = [name for name, _ in depths]
    minima = dict(fusion.minima)
    scores = lists.rows["score"].cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return Entries(
        list_=lists.list_[lists.first],
        branch=branch[lists.first],
        rank=lists.rank[lists.first],
        score=scores[lists.first],
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
        rank[cell[mine]] = entries.rank[mine]
        ranks.append(rank.reshape(shape))
    return ranks


def _worth(
    evidence: pl.Series, row: Wholes, judged: Judged
) -> tuple[Wholes, Wholes, Wholes | None]:
    """Grade, whether required, and code of each item's evidence (None where none repeats)."""
    codes, _ = encode(evidence)
    items = pl.DataFrame({"row": row, "evidence_id": evidence})
    known = items.join(
        judged.evidence, on=["row", "evidence_id"], how="left", maintain_order="left"
    )
    repeats = items.is_duplicated().any()
    return (
        known["grade"].fill_null(UNJUDGED).to_numpy(),
        known["required"].fill_null(False).cast(pl.Int64).to_numpy(),
        codes if repeats else None,
    )


def _scatter(values: Wholes, flat: Wholes, shape: tuple[int, int], empty: int) -> Wholes:
    array = np.full(shape[0] * shape[1], empty, dtype=np.int64)
    array[flat] = values
    return array.reshape(shape)
