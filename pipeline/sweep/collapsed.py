"""The lists of some queries, checked and collapsed once, whatever depths are tried on them.

The collapsed list of a shorter list is the beginning of the longer one's: an item keeps its rank,
or is not there. So a depth is a comparison of places, not another collapse.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.fusion.check import check_lists
from pipeline.fusion.collapse import ordered_lists
from pipeline.fusion.lists import Lists, encode
from pipeline.measures import UNJUDGED
from pipeline.params import FusionParams
from pipeline.sweep.truth import Judged

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Collapsed:
    """One row per branch, query and item, by branch, query and rank.

    Args:
        branches: names, sorted.
        queries: how many there are.
        branch: place of the branch among the names.
        row: place of the query among the queries.
        item: code of what is fused, rising by id.
        document: code of the document that represents the item in this list.
        position: its place in the list before collapsing, from 1.
        rank: the item's place in the collapsed list, from 1.
        score: NaN where the branch gave none.
        grade: of the document's evidence; UNJUDGED where none.
        required: whether that is required evidence.
        evidence: its code.
        falling: no list scores an item higher than one that it ranks above it.
    """

    branches: tuple[str, ...]
    queries: int
    branch: Wholes
    row: Wholes
    item: Wholes
    document: Wholes
    position: Wholes
    rank: Wholes
    score: Reals
    grade: Wholes
    required: Flags
    evidence: Wholes
    falling: bool


def collapse_lists(
    candidates: pl.DataFrame, depths: Mapping[str, int], judged: Judged, fusion: FusionParams
) -> Collapsed:
    """Collapses the lists of some branches.

    Args:
        candidates: CANDIDATES; other branches and other queries are passed over.
        depths: branch to the greatest depth that is tried.
        judged: the queries, in the order of the rows, and what is known about them.
        fusion: level, and what to do with repeated documents.

    Raises:
        ContractError: a list breaks the rules of fusion.
    """
    taking_part = candidates.filter(
        pl.col("branch").is_in(list(depths)), pl.col("query_id").is_in(judged.queries)
    )
    lists = ordered_lists(
        check_lists(taking_part), level=fusion.level, depths=depths, rule=fusion.duplicates
    )
    return _collapsed(lists, tuple(sorted(depths)), judged)


def _collapsed(lists: Lists, branches: tuple[str, ...], judged: Judged) -> Collapsed:
    first = np.flatnonzero(lists.first)
    rows = lists.rows.select("branch", "evidence_id", "score")[first]
    # Codes count what occurs in these lists; rows and branches count all of them.
    present = lists.rows["branch"].unique().sort().to_list()
    branch = np.array([branches.index(name) for name in present], dtype=np.int64)
    row = np.array([judged.rows[query] for query in lists.queries], dtype=np.int64)
    row = row[lists.query[first]]
    items = pl.DataFrame({"row": row, "evidence_id": rows["evidence_id"]})
    known = items.join(
        judged.evidence, on=["row", "evidence_id"], how="left", maintain_order="left"
    )
    list_, score = lists.list_[first], rows["score"].cast(pl.Float64).fill_null(float("nan"))
    scores = score.to_numpy()
    return Collapsed(
        branches=branches,
        queries=len(judged.queries),
        branch=branch[lists.branch[first]],
        row=row,
        item=lists.item[first],
        document=lists.document[first],
        position=lists.position[first],
        rank=lists.rank[first],
        score=scores,
        grade=known["grade"].fill_null(UNJUDGED).to_numpy(),
        required=known["required"].fill_null(False).to_numpy(),
        evidence=encode(rows["evidence_id"])[0],
        falling=not ((scores[1:] > scores[:-1]) & (list_[1:] == list_[:-1])).any(),
    )
