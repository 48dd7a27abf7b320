"""Fusion of whole frames: every query and every branch at once."""

import logging
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.fusion.check import check_lists
from pipeline.fusion.collapse import ordered_lists
from pipeline.fusion.contract import Contract
from pipeline.fusion.lists import Entries, Flags, Lists, Reals, Wholes, places

SCHEMA = {
    "query_id": pl.String(),
    "rank": pl.Int64(),
    "doc_id": pl.String(),
    "evidence_id": pl.String(),
    "score": pl.Float64(),
    "best_rank": pl.Int64(),
    "members": pl.List(pl.String()),
}

_NEVER = np.iinfo(np.int64).max
_log = logging.getLogger(__name__)


def fuse(candidates: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    """Fuses the branches' lists, query by query, as the contract says.

    Every query that any of the contract's branches lists stays. Branches the contract does not
    name take no part.

    Args:
        candidates: branch, query_id, rank (from 1), doc_id, evidence_id, source_id, score (null
            where the branch has none); rows in any order.
        contract: the whole rule.

    Returns:
        query_id, rank (from 1), doc_id and evidence_id (of the representative), score, best_rank
        (the item's best collapsed rank in any list), members (all its documents, best first);
        key (query_id, rank), sorted by it.

    Raises:
        ContractError: a list breaks the rules, or a method on scores meets a branch without.
    """
    lists = ordered_lists(
        check_lists(_taking_part(candidates, contract)),
        level=contract.level,
        depths=dict(contract.depths),
        rule=contract.duplicates,
    )
    if not lists.rows.height:
        return pl.DataFrame(schema=SCHEMA)
    _note_absent(lists, contract)
    items = _scored(lists, contract)
    return _frame(lists, items, contract)


@dataclass(frozen=True, slots=True)
class _Items:
    """The fused items: those of a query together, best first, cut to the output depth."""

    key: Wholes
    rank: Wholes
    query: Wholes
    score: Reals
    best_rank: Wholes


def _taking_part(candidates: pl.DataFrame, contract: Contract) -> pl.DataFrame:
    if "branch" not in candidates.columns:
        return candidates  # named by check_lists
    part = candidates["branch"].is_in(contract.branches)
    return candidates if part.all() else candidates.filter(part)


def _note_absent(lists: Lists, contract: Contract) -> None:
    pairs = len(lists.queries) * len(contract.branches)
    absent = pairs - np.unique(lists.list_).size
    if absent:
        _log.info("%d of %d (branch, query) pairs have no list", absent, pairs)


def _scored(lists: Lists, contract: Contract) -> _Items:
    query, item = lists.query[lists.first], lists.item[lists.first]
    key, row = np.unique(_item_key(lists)[lists.first], return_inverse=True)
    entries = _entries(lists, contract)
    shape = (key.size, len(contract.branches))
    values, present = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    ranks = np.full(shape, _NEVER)
    values[row, entries.branch] = contract.definition.contribution(entries)
    present[row, entries.branch] = True
    ranks[row, entries.branch] = entries.rank
    item_query, item_code = np.empty_like(key), np.empty_like(key)
    item_query[row], item_code[row] = query, item
    if contract.missing == "past_depth":
        values += _absent_values(entries, contract, present, item_query)
    score = contract.definition.combine(values, present)
    if contract.definition.own_scores:
        score = np.empty(key.size)
        score[row] = entries.score
    best = ranks.min(axis=1)
    return _ordered(key, item_query, item_code, score, best, contract)


def _ordered(
    key: Wholes, query: Wholes, item: Wholes, score: Reals, best: Wholes, contract: Contract
) -> _Items:
    # A branch by itself keeps its order whatever its scores say: rank is the only order.
    primary = best if contract.definition.own_scores else -score
    order = np.lexsort((item, best, primary, query))
    rank = places(query[order])
    kept = rank <= contract.output_depth
    order = order[kept]
    return _Items(key[order], rank[kept], query[order], score[order], best[order])


def _item_key(lists: Lists) -> Wholes:
    return lists.query * (int(lists.item.max()) + 1) + lists.item


def _entries(lists: Lists, contract: Contract) -> Entries:
    names = contract.branches
    minima = dict(contract.minima)
    order = list(contract.order or names)
    present = lists.rows["branch"].unique().sort().to_list()
    # Codes count the branches that have rows; the contract counts all of its own.
    place = np.array([names.index(name) for name in present], dtype=np.int64)
    first = lists.rows.filter(pl.Series(lists.first))
    return Entries(
        list_=lists.list_[lists.first],
        branch=place[lists.branch[lists.first]],
        rank=lists.rank[lists.first],
        score=first["score"].fill_null(float("nan")).to_numpy(),
        weights=np.array([weight for _, weight in contract.weights]),
        depths=np.array([depth for _, depth in contract.depths], dtype=np.int64),
        rank_constant=contract.rank_constant or 0.0,
        starts=np.array([order.index(name) for name in names], dtype=np.int64),
        minima=np.array([minima.get(name, np.nan) for name in names]),
        names=names,
    )


def _absent_values(entries: Entries, contract: Contract, present: Flags, query: Wholes) -> Reals:
    """What items gain from lists that miss them; a branch without a list gives nothing."""
    has_list = np.zeros((int(query.max()) + 1, present.shape[1]), dtype=np.bool_)
    rows, columns = np.nonzero(present)
    has_list[query[rows], columns] = True
    fill = contract.definition.absent(entries)
    return np.where(has_list[query] & ~present, fill, 0.0)


def _frame(lists: Lists, items: _Items, contract: Contract) -> pl.DataFrame:
    members = _members(lists, items)
    score = pl.Series(items.score, nan_to_null=True)
    return pl.DataFrame(
        {
            "query_id": lists.queries[items.query],
            "rank": items.rank,
            "doc_id": members["doc_id"],
            "evidence_id": members["evidence_id"],
            "score": score,
            "best_rank": items.best_rank,
            "members": members["members"],
        },
        schema=SCHEMA,
    )


def _members(lists: Lists, items: _Items) -> pl.DataFrame:
    """For each fused item, in order: its representative's ids and all its documents."""
    place = _places_of_items(lists, items)
    listed = np.flatnonzero(place >= 0)
    order = np.lexsort(
        (
            lists.document[listed],
            lists.position[listed],
            lists.rank[listed],
            place[listed],
        )
    )
    rows = listed[order]
    return (
        lists.rows[rows]
        .select("doc_id", "evidence_id", pl.Series("place", place[rows]))
        .unique(["place", "doc_id"], keep="first", maintain_order=True)
        .group_by("place", maintain_order=True)
        .agg(pl.first("doc_id", "evidence_id"), pl.col("doc_id").alias("members"))
    )


def _places_of_items(lists: Lists, items: _Items) -> Wholes:
    """For each row, the place of its item among the fused items; -1 where it was cut."""
    key = _item_key(lists)
    sorter = np.argsort(items.key)
    found = np.minimum(np.searchsorted(items.key, key, sorter=sorter), sorter.size - 1)
    place = sorter[found]
    return np.where(items.key[place] == key, place, -1)
