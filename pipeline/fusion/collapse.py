"""Cut, collapse, renumber: what happens to every list before it is fused or measured."""

import logging
from collections.abc import Mapping
from typing import Literal

import numpy as np
import polars as pl

from pipeline.errors import ParameterError, first_three
from pipeline.fusion.check import COLUMNS, check_lists, refuse_places
from pipeline.fusion.limits import check_depth
from pipeline.fusion.lists import Flags, Lists, Wholes, encode, first_of_pair, places

Level = Literal["document", "evidence", "source"]
Duplicates = Literal["reject", "keep_first"]

LEVELS: Mapping[str, str] = {
    "document": "doc_id",
    "evidence": "evidence_id",
    "source": "source_id",
}

_log = logging.getLogger(__name__)


def collapse(
    candidates: pl.DataFrame,
    *,
    level: Level = "evidence",
    depth: int | Mapping[str, int] | None = None,
    duplicates: Duplicates = "reject",
) -> pl.DataFrame:
    """Lists cut to their depth, one row per item of the level, renumbered from 1.

    The best-ranked member of an item represents it, with its score.

    Args:
        candidates: branch, query_id, rank, doc_id, evidence_id, source_id, score.
        level: what counts as one item.
        depth: how many rows of each list are read, before collapsing: one number, or one per
            branch (a branch without one is not cut).
        duplicates: a document twice in a list is an error, or its first row is kept, the others
            are logged, and the list is renumbered before it is cut.

    Returns:
        The same columns, sorted by branch, query_id, rank.

    Raises:
        ContractError: a list breaks the rules (see `check_lists`), repeats a rank, or repeats a
            document under `reject`.
        ParameterError: an unknown level or a depth below 1.
    """
    lists = ordered_lists(
        check_lists(candidates), level=level, depths=_depths(candidates, depth), rule=duplicates
    )
    return (
        lists.rows.with_columns(pl.Series("rank", lists.rank))
        .filter(pl.Series(lists.first))
        .select(COLUMNS)
    )


def ordered_lists(
    candidates: pl.DataFrame, *, level: str, depths: Mapping[str, int], rule: str
) -> Lists:
    """Checked candidates as collapsed lists; raises as `collapse`."""
    key = _key(level)
    rows, branch, list_, query, queries = _sorted(candidates)
    document, _ = encode(rows["doc_id"])
    kept = _without_repeats(rows, list_, document, rule)
    kept[kept] = places(list_[kept]) <= _limits(rows, branch, depths)[kept]
    if not kept.all():
        rows = rows.filter(pl.Series(kept))
        branch, list_, query, document = branch[kept], list_[kept], query[kept], document[kept]
    same = key == "doc_id" or bool((rows[key] == rows["doc_id"]).all())
    item = document if same else encode(rows[key])[0]
    first, rank = _ranks(list_, item)
    return Lists(rows, branch, list_, query, document, item, places(list_), rank, first, queries)


def _key(level: str) -> str:
    if level not in LEVELS:
        raise ParameterError(
            "unknown level", where="fusion.level", found=repr(level), expected=", ".join(LEVELS)
        )
    return LEVELS[level]


def _depths(candidates: pl.DataFrame, depth: int | Mapping[str, int] | None) -> dict[str, int]:
    if depth is None:
        return {}
    given = depth if isinstance(depth, Mapping) else dict.fromkeys(candidates["branch"], depth)
    return {name: check_depth(value, where=f"depths.{name}") for name, value in given.items()}


def _limits(rows: pl.DataFrame, branch: Wholes, depths: Mapping[str, int]) -> Wholes:
    names = rows["branch"].unique().sort().to_list()
    uncut = np.iinfo(np.int64).max
    limit: Wholes = np.array([depths.get(name, uncut) for name in names], dtype=np.int64)
    return limit[branch]


def _sorted(
    candidates: pl.DataFrame,
) -> tuple[pl.DataFrame, Wholes, Wholes, Wholes, pl.Series]:
    branch, _ = encode(candidates["branch"])
    query, queries = encode(candidates["query_id"])
    list_ = branch * max(len(queries), 1) + query
    rank = candidates["rank"].to_numpy()
    rising = (list_[1:] > list_[:-1]) | ((list_[1:] == list_[:-1]) & (rank[1:] > rank[:-1]))
    if rising.all():
        return candidates, branch, list_, query, queries
    order = np.lexsort((rank, list_))
    rows, list_, rank = candidates[order], list_[order], rank[order]
    again = np.flatnonzero((list_[1:] == list_[:-1]) & (rank[1:] == rank[:-1])) + 1
    refuse_places(rows, again, "a rank stands twice in a list", "each rank once per list")
    return rows, branch[order], list_, query[order], queries


def _without_repeats(rows: pl.DataFrame, list_: Wholes, document: Wholes, rule: str) -> Flags:
    """Which rows to keep: the first of each document in each list."""
    first = first_of_pair(list_, document)
    again = np.flatnonzero(~first)
    if not again.size:
        return first
    if rule != "keep_first":
        refuse_places(
            rows,
            again,
            "a document stands twice in a list",
            "each document once per list, or duplicates: keep_first",
        )
    dropped = rows[again].select("branch", "query_id", "rank", "doc_id").rows()
    _log.warning("%d repeated documents dropped: %s", len(dropped), first_three(dropped))
    return first


def _ranks(list_: Wholes, item: Wholes) -> tuple[Flags, Wholes]:
    """Which rows represent their item, and every row's collapsed rank."""
    first = first_of_pair(list_, item)
    if first.all():
        return first, places(list_)
    pair = list_ * (int(item.max(initial=0)) + 1) + item
    _, index, inverse = np.unique(pair, return_index=True, return_inverse=True)
    rank = np.zeros(pair.size, dtype=np.int64)
    rank[first] = places(list_[first])
    return first, rank[index][inverse]
