"""Fusion of whole frames: every query and every branch at once."""

import logging
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.fusion.check import check_lists
from pipeline.fusion.collapse import ordered_lists
from pipeline.fusion.contract import Contract
from pipeline.fusion.lists import Entries, Flags, Lists, Reals, Wholes, places
from pipeline.fusion.members import members_of
from pipeline.fusion.methods import Method

SCHEMA = {
    "query_id": pl.String(),
    "rank": pl.Int64(),
    "doc_id": pl.String(),
    "evidence_id": pl.String(),
    "score": pl.Float64(),
    "best_rank": pl.Int64(),
    "members": pl.List(pl.String()),
}

Shorts = npt.NDArray[np.int16]

_NEVER = np.iinfo(np.int64).max
_log = logging.getLogger(__name__)


def fuse(
    candidates: pl.DataFrame, contract: Contract, *, method: Method | None = None
) -> pl.DataFrame:
    """Fuses the branches' lists, query by query, as the contract says.

    Every query that any of the contract's branches lists stays. Branches the contract does not
    name take no part.

    Args:
        candidates: branch, query_id, rank (from 1), doc_id, evidence_id, source_id, score (null
            where the branch has none); rows in any order.
        contract: the whole rule.
        method: scores items instead of the contract's own method (an engine's version of it).

    Returns:
        query_id, rank (from 1), doc_id and evidence_id (of the representative), score, best_rank
        (the item's best collapsed rank in any list), members (all its documents, best first);
        key (query_id, rank), sorted by it.

    Raises:
        ContractError: a list breaks the rules, or a method on scores meets a branch without.
    """
    return fuse_lists(contract_lists(candidates, contract), contract, method=method)


def contract_lists(candidates: pl.DataFrame, contract: Contract) -> Lists:
    """The lists a contract fuses, collapsed: those of its branches, at its depths and level.

    Contracts of equal branches, depths, level and rule for duplicates fuse the same lists.

    Raises:
        ContractError: a list breaks the rules.
    """
    return ordered_lists(
        check_lists(_taking_part(candidates, contract)),
        level=contract.level,
        depths=dict(contract.depths),
        rule=contract.duplicates,
    )


def fuse_lists(lists: Lists, contract: Contract, *, method: Method | None = None) -> pl.DataFrame:
    """As `fuse`, from lists made by `contract_lists`.

    Raises:
        ContractError: a method on scores meets a branch without.
    """
    if not lists.rows.height:
        return pl.DataFrame(schema=SCHEMA)
    _note_absent(lists, contract)
    return _frame(lists, _scored(lists, contract, method or contract.definition))


@dataclass(frozen=True, slots=True)
class _Items:
    """The fused items: those of a query together, best first, cut to the output depth.

    `of_row` is, for each row of the lists, the place of its item here; -1 where it was cut.
    """

    rank: Wholes
    query: Wholes
    score: Reals
    best_rank: Wholes
    of_row: Wholes


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


def _scored(lists: Lists, contract: Contract, method: Method) -> _Items:
    span = int(lists.item.max()) + 1
    # Distinct keys rise by query, then by item, whose codes rise by id.
    key, column = np.unique(lists.query * span + lists.item, return_inverse=True)
    row = column[lists.first]
    entries = _entries(lists, contract)
    shape = (key.size, len(contract.branches))
    values, present = np.zeros(shape), np.zeros(shape, dtype=np.bool_)
    ranks = np.full(shape, _NEVER)
    values[row, entries.branch] = method.contribution(entries)
    present[row, entries.branch] = True
    ranks[row, entries.branch] = entries.rank
    query = key // span
    if contract.missing == "past_depth":
        values += _absent_values(entries, contract, present, query)
    score = method.combine(values, present)
    if method.own_scores:
        score[row] = entries.score
    return _ordered(query, score, ranks.min(axis=1), column, contract)


def _ordered(
    query: Wholes, score: Reals, best: Wholes, column: Wholes, contract: Contract
) -> _Items:
    # Stable sorts, last key first; items stand in the order of their ids already.
    order = np.argsort(_short(best), kind="stable")
    # A branch by itself keeps its order whatever its scores say: rank is the only order.
    if not contract.definition.own_scores:
        order = order[np.argsort(-score[order], kind="stable")]
    order = order[np.argsort(_short(query)[order], kind="stable")]
    rank = places(query[order])
    kept = rank <= contract.output_depth
    order = order[kept]
    place = np.full(query.size, -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    return _Items(rank[kept], query[order], score[order], best[order], place[column])


def _short(values: Wholes) -> Wholes | Shorts:
    """The values in 16 bits where they fit: numpy sorts those in linear time."""
    return values.astype(np.int16) if values.max() <= np.iinfo(np.int16).max else values


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


def _frame(lists: Lists, items: _Items) -> pl.DataFrame:
    members = members_of(lists, items.of_row, items.rank.size)
    return pl.DataFrame(
        {
            "query_id": lists.queries[items.query],
            "rank": items.rank,
            "doc_id": members["doc_id"],
            "evidence_id": members["evidence_id"],
            "score": pl.Series(items.score, nan_to_null=True),
            "best_rank": items.best_rank,
            "members": members["members"],
        },
        schema=SCHEMA,
    )
