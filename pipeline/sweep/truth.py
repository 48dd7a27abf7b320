"""What is known about the queries a sweep measures: judgments and required evidence, by row."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.measures import Truth, arrange, judged_pairs
from pipeline.query_states import query_states, ranked_queries
from pipeline.tables import QUERIES

SWEPT = ("dev", "crossfit")
"""The sides a sweep may look at; under crossfit selection leaves out each fold in turn."""

READ = ("answerable", "required_evidence")
"""What a sweep reads of a query."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Queries and what is known about them.

    Args:
        queries: query ids, sorted: the rows of every array.
        rows: query id to row.
        evidence: row, evidence_id, grade (null where only required), required (null: no).
        truth: the same by row, for the measures.
        rel: the least relevant grade.
    """

    queries: Sequence[str]
    rows: Mapping[str, int]
    evidence: pl.DataFrame
    truth: Truth
    rel: int


def judge_queries(
    splits: pl.DataFrame, judgments: pl.DataFrame, queries: pl.DataFrame | None, *, rel: int
) -> Judged:
    """The queries of dev that enter ranking means, and what is known about them.

    Args:
        splits: SPLITS.
        judgments: resolved, of dev.
        queries: QUERIES, for `answerable` and `required_evidence`; without it all queries count
            as answerable and none requires evidence.
        rel: the least relevant grade.
    """
    swept = _swept(splits, queries)
    ranked = ranked_queries(query_states(swept, judgments, rel=rel))
    required = swept.filter(pl.col("query_id").is_in(ranked)).select(
        "query_id", pl.col("required_evidence").alias("evidence_id")
    )
    required = required.explode("evidence_id").drop_nulls().unique()
    pairs = judged_pairs(judgments.filter(pl.col("query_id").is_in(ranked)))
    _, truth = arrange(_no_run(), pairs, queries=ranked, required=required)
    rows = {query: row for row, query in enumerate(ranked)}
    return Judged(ranked, rows, _evidence(pairs, required, rows), truth, rel)


def _swept(splits: pl.DataFrame, queries: pl.DataFrame | None) -> pl.DataFrame:
    swept = splits.filter(pl.col("split").is_in(SWEPT)).select("query_id")
    known = swept if queries is None else swept.join(queries, on="query_id", how="left")
    missing = [
        pl.lit(None, QUERIES.columns[name]).alias(name)
        for name in READ
        if name not in known.columns
    ]
    return known.with_columns(missing).select("query_id", *READ)


def _evidence(pairs: pl.DataFrame, required: pl.DataFrame, rows: Mapping[str, int]) -> pl.DataFrame:
    numbers = pl.DataFrame(
        {"query_id": list(rows), "row": list(rows.values())},
        schema={"query_id": pl.String, "row": pl.Int64},
    )
    known = pairs.join(
        required.with_columns(required=True),
        on=["query_id", "evidence_id"],
        how="full",
        coalesce=True,
    )
    return known.join(numbers, on="query_id").select("row", "evidence_id", "grade", "required")


def _no_run() -> pl.DataFrame:
    return pl.DataFrame(schema={"query_id": pl.String, "rank": pl.Int64, "evidence_id": pl.String})
