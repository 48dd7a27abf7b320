"""Runs an opened branch over all queries, each under its own eligibility."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.candidates.retriever import Ranking, Retriever
from pipeline.eligibility import Eligible, eligibility_groups
from pipeline.identity import attach
from pipeline.progress import Advance, progress
from pipeline.tables import BRANCH_QUERIES

_QUERIES_AT_ONCE = 128


@dataclass(frozen=True, slots=True)
class Searched:
    """One query's list and how it went."""

    query_id: str
    status: str
    ranking: Ranking | None
    eligible: int
    filter: str | None


def search_all(
    retriever: Retriever, *, documents: pl.DataFrame, queries: pl.DataFrame, depth: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The lists of all queries.

    Args:
        retriever: the opened branch.
        documents: table DOCUMENTS, sorted by doc_id.
        queries: table QUERIES.
        depth: the longest list wanted.

    Returns:
        Tables BRANCH_CANDIDATES and BRANCH_QUERIES. Status: `ok`; `empty`, documents were
        eligible and none matched; `filtered`, none was eligible; `missing`, the query has
        nothing to ask with (no text, or no vector).
    """
    asked = questions(retriever, queries)
    with progress("searching", queries.height, unit="queries") as advance:
        searched = [
            one
            for group in eligibility_groups(documents, queries)
            for one in _search_group(retriever, group, asked, depth, advance)
        ]
    states = [
        (one.query_id, one.status, len(one.ranking or ()), one.eligible, one.filter)
        for one in searched
    ]
    lists = _lists(searched, documents)
    return (
        attach(lists, documents),
        pl.DataFrame(states, schema=dict(BRANCH_QUERIES.columns), orient="row"),
    )


def questions(retriever: Retriever, queries: pl.DataFrame) -> dict[str, str]:
    """What is asked for each query that can be asked: its text, or its id."""
    pairs = queries.select("query_id", pl.col(retriever.reads).alias("asked"))
    return {
        query_id: asked
        for query_id, asked in pairs.iter_rows()
        if asked is not None and retriever.knows(asked)
    }


def _search_group(
    retriever: Retriever, group: Eligible, asked: dict[str, str], depth: int, advance: Advance
) -> Iterator[Searched]:
    count = int(group.mask.sum())
    known = [query_id for query_id in group.query_ids if query_id in asked] if count else []
    # Without a mask the engine need not look at eligibility at all.
    mask = None if count == len(group.mask) else group.mask
    found: dict[str, Ranking] = {}
    for start in range(0, len(known), _QUERIES_AT_ONCE):
        some = known[start : start + _QUERIES_AT_ONCE]
        rankings = retriever.search_many([asked[query_id] for query_id in some], mask, depth)
        found.update(zip(some, rankings, strict=True))
        advance(len(some))
    for query_id in group.query_ids:
        ranking = found.get(query_id)
        status = _status(ranking, eligible=count, asked=query_id in asked)
        yield Searched(query_id, status, ranking, count, group.principal.filter)


def _status(ranking: Ranking | None, *, eligible: int, asked: bool) -> str:
    if not asked:
        return "missing"
    if not eligible:
        return "filtered"
    return "ok" if ranking is not None and len(ranking) else "empty"


def _lists(searched: list[Searched], documents: pl.DataFrame) -> pl.DataFrame:
    held = [(one.query_id, one.ranking) for one in searched if one.ranking is not None]
    lengths = [len(ranking) for _, ranking in held]
    positions = np.concatenate([np.empty(0, np.int64), *(r.positions for _, r in held)])
    scores = np.concatenate([np.empty(0, np.float64), *(r.scores for _, r in held)])
    ranks = np.concatenate([np.empty(0, np.int64), *(np.arange(1, n + 1) for n in lengths)])
    query_ids = pl.Series([query_id for query_id, _ in held], dtype=pl.String)
    return pl.DataFrame(
        {
            "query_id": query_ids.gather(np.repeat(np.arange(len(held)), lengths)),
            "rank": ranks,
            "doc_id": documents["doc_id"].gather(positions),
            "score": scores,
        }
    )
