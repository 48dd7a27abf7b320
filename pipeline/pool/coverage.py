"""How much of what each system shows has been judged, at each cutoff that is read."""

from collections.abc import Iterable

import polars as pl

from pipeline.errors import key
from pipeline.measures.names import parse_measure
from pipeline.params import Params
from pipeline.tables import COVERAGE


def cutoffs_of(params: Params) -> list[int]:
    """The cutoffs somebody reads: the measures', the pool's depth, the context's depth."""
    with key("evaluation.measures"):
        measured = [parse_measure(name).cutoff for name in params.evaluation.measures]
    return sorted(
        {c for c in measured if c is not None} | {params.pool.depth, params.context.depth}
    )


def coverage_of(
    runs: pl.DataFrame, resolved: pl.DataFrame, splits: pl.DataFrame, cutoffs: Iterable[int]
) -> pl.DataFrame:
    """Judged and returned items of every system, side and cutoff.

    Args:
        runs: system, query_id, rank, evidence_id.
        resolved: query_id, evidence_id, status; one row for each pair.
        splits: table SPLITS; queries that are on no side count nowhere.
        cutoffs: ranks, from 1.

    Returns:
        Table COVERAGE; zeros where a system returned nothing on a side.
    """
    judged = resolved.filter(pl.col("status") == "judged").select(
        "query_id", "evidence_id", judged=pl.lit(True)
    )
    listed = runs.join(splits.select("query_id", "split"), on="query_id").join(
        judged, on=["query_id", "evidence_id"], how="left"
    )
    every = runs.select("system").unique().join(splits.select("split").unique(), how="cross")
    parts = [
        every.join(
            listed.filter(pl.col("rank") <= cutoff)
            .group_by("system", "split")
            .agg(judged=pl.col("judged").count().cast(pl.Int64), returned=pl.len().cast(pl.Int64)),
            on=["system", "split"],
            how="left",
        ).with_columns(pl.col("judged", "returned").fill_null(0), cutoff=pl.lit(cutoff, pl.Int64()))
        for cutoff in cutoffs
    ]
    return COVERAGE.check(pl.concat(parts) if parts else COVERAGE.empty())
