"""Which branches hold the relevant evidence: one, several, none."""

import polars as pl

from pipeline.slices import Slices
from pipeline.tables import COMPLEMENTARITY

NONE = "none"


def complementarity(
    relevant: pl.DataFrame, candidates: pl.DataFrame, slices: Slices, *, split: str
) -> pl.DataFrame:
    """Relevant evidence, and queries, by the set of branches that hold it within their depth.

    Evidence counts as one pair (query, evidence), however many documents carry it. A query
    counts once, under all branches that hold any of its relevant evidence: both columns add up
    to the totals.

    Args:
        relevant: `query_id, evidence_id` of the split's ranked queries.
        candidates: the branches' lists as they were returned: `branch, query_id, evidence_id`.
        slices: the slices shown; "" is all queries.
        split: the label of the rows.

    Returns:
        The table COMPLEMENTARITY, sorted by its key.
    """
    if relevant.is_empty():
        return COMPLEMENTARITY.empty()
    pairs = _found_by(relevant, candidates, ["query_id", "evidence_id"])
    whole = _found_by(relevant, candidates, ["query_id"])
    members = slices.members()
    evidence = _count(pairs, members, "evidence")
    queries = _count(whole, members, "queries")
    return COMPLEMENTARITY.check(
        evidence.join(queries, on=["slice", "found_by"], how="full", coalesce=True).select(
            pl.lit(split).alias("split"),
            "slice",
            "found_by",
            pl.col("queries", "evidence").fill_null(0).cast(pl.Int64),
        )
    )


def _found_by(relevant: pl.DataFrame, candidates: pl.DataFrame, unit: list[str]) -> pl.DataFrame:
    held = relevant.join(
        candidates.select("branch", "query_id", "evidence_id").unique(),
        on=["query_id", "evidence_id"],
        how="left",
    )
    names = pl.col("branch").drop_nulls().unique().sort()
    found_by = held.group_by(unit).agg(names.alias("branches"))
    joined = pl.col("branches").list.join("+")
    return found_by.select(
        "query_id",
        pl.when(joined == "").then(pl.lit(NONE)).otherwise(joined).alias("found_by"),
    )


def _count(found_by: pl.DataFrame, members: pl.DataFrame, name: str) -> pl.DataFrame:
    return (
        members.join(found_by, on="query_id")
        .group_by("slice", "found_by")
        .agg(pl.len().alias(name))
    )
