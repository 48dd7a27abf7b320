"""The selected list with its top in a recorded reranker's order: an ablation, never selected."""

import polars as pl

from pipeline.fusion import LEVELS
from pipeline.params import Params
from pipeline.systems import RERANKED, SELECTED
from pipeline.tables import RUNS


def reranked(runs: pl.DataFrame, candidates: pl.DataFrame, params: Params) -> pl.DataFrame:
    """The selected lists, their first `evaluation.rerank.depth` items in a recorded order.

    What the recorded branch does not hold keeps its order behind what it holds; what lies below
    that depth stays where it was.

    Args:
        runs: RUNS with the selected system.
        candidates: CANDIDATES with the recorded branch, which need not be fused.
        params: `evaluation.rerank`, and the fusion level: an item stands where the best of its
            documents does.

    Returns:
        RUNS of the system `reranked`, without scores; empty where no rerank is declared.
    """
    rerank = params.evaluation.rerank
    if rerank is None:
        return RUNS.empty()
    unit = LEVELS[params.fusion.level]
    units = candidates.select("query_id", "doc_id", pl.col(unit).alias("unit")).unique()
    new_order = (
        candidates.filter(pl.col("branch") == rerank.branch)
        .group_by("query_id", pl.col(unit).alias("unit"))
        .agg(pl.col("rank").min().alias("new_rank"))
    )
    below = pl.col("rank") > rerank.depth
    listed = (
        runs.filter(pl.col("system") == SELECTED)
        .join(units, on=["query_id", "doc_id"], how="left")
        .join(new_order, on=["query_id", "unit"], how="left")
        .sort("query_id", below, pl.when(~below).then("new_rank"), "rank", nulls_last=True)
        .with_columns(
            pl.lit(RERANKED).alias("system"),
            pl.int_range(1, pl.len() + 1).over("query_id").alias("rank"),
            pl.lit(None, dtype=pl.Float64).alias("score"),
        )
    )
    return RUNS.check(listed.select(list(RUNS.columns)))
