"""How much of what each system shows has been judged, at each cutoff that is read."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from pipeline.errors import key
from pipeline.measures.names import parse_measure
from pipeline.params import Params
from pipeline.statistics.shares import Bounds, clustered_bounds
from pipeline.tables import COVERAGE


def cutoffs_of(params: Params) -> list[int]:
    """The cutoffs somebody reads: the measures', the pool's depth, the context's depth."""
    with key("evaluation.measures"):
        measured = [parse_measure(name).cutoff for name in params.evaluation.measures]
    return sorted(
        {c for c in measured if c is not None} | {params.pool.depth, params.context.depth}
    )


def coverage_of(
    runs: pl.DataFrame,
    resolved: pl.DataFrame,
    splits: pl.DataFrame,
    cutoffs: Iterable[int],
    *,
    alpha: float,
) -> pl.DataFrame:
    """Judged and returned items of every system, side and cutoff, and bounds of their ratio.

    Args:
        runs: system, query_id, rank, evidence_id.
        resolved: query_id, evidence_id, status; one row for each pair.
        splits: table SPLITS; queries that are on no side count nowhere.
        cutoffs: ranks, from 1.
        alpha: one-sided, of the bounds; items of one query group hold together.

    Returns:
        Table COVERAGE; zeros where a system returned nothing on a side.
    """
    judged = resolved.filter(pl.col("status") == "judged").select(
        "query_id", "evidence_id", judged=pl.lit(True)
    )
    listed = runs.join(splits.select("query_id", "group_id", "split"), on="query_id").join(
        judged, on=["query_id", "evidence_id"], how="left"
    )
    every = runs.select("system").unique().join(splits.select("split").unique(), how="cross")
    parts = [
        every.join(_counted(listed, cutoff), on=["system", "split"], how="left").with_columns(
            pl.col("judged", "returned", "groups").fill_null(0),
            pl.col("squares").fill_null(0.0),
            cutoff=pl.lit(cutoff, pl.Int64()),
        )
        for cutoff in cutoffs
    ]
    if not parts:
        return COVERAGE.empty()
    counted = pl.concat(parts).sort(COVERAGE.key)
    bounds = [_bounds(row, alpha) for row in counted.iter_rows(named=True)]
    low, high = zip(*bounds, strict=True) if bounds else ((), ())
    return COVERAGE.check(
        counted.with_columns(
            pl.Series("low", low, pl.Float64), pl.Series("high", high, pl.Float64)
        ).select(*COVERAGE.columns)
    )


def _counted(listed: pl.DataFrame, cutoff: int) -> pl.DataFrame:
    """By system and side: counts, and the sum of squares of the groups' distances."""
    by_group = (
        listed.filter(pl.col("rank") <= cutoff)
        .group_by("system", "split", "group_id")
        .agg(judged=pl.col("judged").count().cast(pl.Int64), returned=pl.len().cast(pl.Int64))
        .sort("system", "split", "group_id")
    )
    of_system = ["system", "split"]
    whole = pl.col("judged").sum().over(of_system) / pl.col("returned").sum().over(of_system)
    return (
        by_group.with_columns(distance=pl.col("judged") - whole * pl.col("returned"))
        .group_by(of_system, maintain_order=True)
        .agg(
            pl.col("judged", "returned").sum(),
            groups=pl.len().cast(pl.Int64),
            squares=(pl.col("distance") ** 2).sum(),
        )
    )


def _bounds(row: Mapping[str, Any], alpha: float) -> Bounds:
    groups, returned = row["groups"], row["returned"]
    if groups < 2:
        return None, None
    error = math.sqrt(row["squares"] * groups / (groups - 1)) / returned
    return clustered_bounds(row["judged"] / returned, error, float(returned), groups, alpha)
