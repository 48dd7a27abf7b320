"""What the selected system would hand to a generator."""

import polars as pl

from pipeline.fusion import Configuration, fuse
from pipeline.params import Params
from pipeline.tables import CONTEXTS


def contexts(
    choice: Configuration | None, candidates: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """The documents that stand for the first `context.depth` items of each query, ids only.

    Args:
        choice: the selected configuration; without one nothing is handed over.
        candidates: CANDIDATES.
        params: `fusion` (its `representatives` documents stand for an item) and `context`.

    Returns:
        The table CONTEXTS; rank counts the documents handed over, from 1.
    """
    if choice is None:
        return CONTEXTS.empty()
    fused = fuse(candidates, choice.contract(params.fusion)).sort("query_id", "rank")
    handed = (
        fused.filter(pl.col("rank") <= params.context.depth)
        .with_columns(pl.col("members").list.head(params.fusion.representatives))
        .explode("members")
    )
    order = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank")
    return CONTEXTS.check(
        handed.select("query_id", order, pl.col("members").alias("doc_id"), "evidence_id")
    )
