"""Queries that nothing can answer: how often a system says so, and what it shows instead."""

import polars as pl

from pipeline.parts import Part
from pipeline.query_states import UNANSWERABLE


def unanswerable_figures(
    run: pl.DataFrame, part: Part, *, cutoff: int, rel: int
) -> dict[str, float]:
    """What one system returns for the queries declared unanswerable.

    Args:
        run: the system's lists: `query_id, rank, evidence_id`.
        part: whose queries and judgments.
        cutoff: how many items of each list are looked at.
        rel: grades below it are irrelevant.

    Returns:
        `answered_by_nothing`: the share of these queries with an empty list.
        `known_irrelevant`: items at the top judged irrelevant, over the cutoff, macro mean.
        Empty where no query is declared unanswerable.
    """
    queries = part.states.filter(pl.col("state") == UNANSWERABLE).select("query_id")
    if queries.is_empty():
        return {}
    lists = run.join(queries, on="query_id", how="semi")
    irrelevant = part.judgments.filter((pl.col("status") == "judged") & (pl.col("grade") < rel))
    shown = lists.filter(pl.col("rank") <= cutoff).join(
        irrelevant, on=["query_id", "evidence_id"], how="semi"
    )
    empty = queries.height - lists["query_id"].n_unique()
    return {
        "answered_by_nothing": empty / queries.height,
        "known_irrelevant": shown.height / (cutoff * queries.height),
    }
