"""A recorded run and recorded vectors, as they were read."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.tables import RECORDED_SNAPSHOTS, RECORDED_TIMES


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One system's lists, exactly as the file holds them.

    Args:
        results: table RECORDED_RUN; `position` is the line (TREC) or the place in the list.
        queries: table RECORDED_QUERIES, one row for each query the file speaks of.
    """

    results: pl.DataFrame
    queries: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors made elsewhere: of documents and of queries, both table VECTORS."""

    documents: pl.DataFrame
    queries: pl.DataFrame


def recorded_times(runs: Mapping[str, RecordedRun]) -> pl.DataFrame:
    """The milliseconds that runs say each query took.

    Args:
        runs: branch to the run it is made of.

    Returns:
        RECORDED_TIMES; queries that say nothing are left out.
    """
    told = [
        run.queries.select(pl.lit(name).alias("branch"), "query_id", "took_ms").drop_nulls()
        for name, run in runs.items()
    ]
    return RECORDED_TIMES.check(pl.concat([RECORDED_TIMES.empty(), *told]))


def recorded_snapshots(runs: Mapping[str, RecordedRun]) -> pl.DataFrame:
    """The states of the index that runs say they were answered from.

    Args:
        runs: branch to the run it is made of.

    Returns:
        RECORDED_SNAPSHOTS; queries that say nothing are left out.
    """
    told = [
        run.queries.drop_nulls("snapshot")
        .group_by("snapshot")
        .agg(queries=pl.len().cast(pl.Int64))
        .select(pl.lit(name).alias("branch"), "snapshot", "queries")
        for name, run in runs.items()
    ]
    named = pl.concat([RECORDED_SNAPSHOTS.empty(), *told])
    return RECORDED_SNAPSHOTS.check(named.sort(RECORDED_SNAPSHOTS.key))
