"""How far judging has come."""

import polars as pl

from pipeline.tables import POOL_STATUSES


def judging_progress(pool: pl.DataFrame, splits: pl.DataFrame) -> pl.DataFrame:
    """Pairs of the pool by side and status.

    Args:
        pool: table POOL.
        splits: table SPLITS.

    Returns:
        split, queries, pairs, judged, unknown, abstained, unjudged; key split, sorted by it;
        pairs of queries on no side stand under the empty split.
    """
    sided = pool.join(splits.select("query_id", "split"), on="query_id", how="left")
    counts = [
        (pl.col("status") == status).sum().cast(pl.Int64).alias(status) for status in POOL_STATUSES
    ]
    return (
        sided.group_by(pl.col("split").fill_null(""))
        .agg(
            pl.col("query_id").n_unique().cast(pl.Int64).alias("queries"),
            pl.len().cast(pl.Int64).alias("pairs"),
            *counts,
        )
        .sort("split")
    )
