"""Which documents of a fused list are handed to the generator."""

import polars as pl


def context_documents(fused: pl.DataFrame, *, depth: int, representatives: int) -> pl.DataFrame:
    """The documents that stand for the first items of each query.

    Args:
        fused: as `fuse` returns it, sorted by query_id, rank.
        depth: how many items are handed over.
        representatives: so many of an item's members, best first, stand for it.

    Returns:
        query_id, rank (counts the documents handed over, from 1), doc_id, evidence_id; sorted by
        query_id, rank.
    """
    handed = (
        fused.filter(pl.col("rank") <= depth)
        .with_columns(pl.col("members").list.head(representatives))
        .explode("members")
    )
    order = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank")
    return handed.select("query_id", order, pl.col("members").alias("doc_id"), "evidence_id")
