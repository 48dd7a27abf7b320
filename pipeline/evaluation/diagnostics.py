"""What the labels say could have been reached. Never up for release."""

from collections.abc import Sequence

import polars as pl

from pipeline.fusion import LEVELS
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.tables import RUNS

ORACLE_UNION = "oracle_union"
BEST_BRANCH_PER_QUERY = "best_branch_per_query"


def oracle_union(candidates: pl.DataFrame, part: Part, params: Params) -> pl.DataFrame:
    """All candidates of any branch that may be fused, the highest grades first.

    What is unjudged stands behind every positive grade, as grade 0 does; then the best rank in
    any branch and the smaller id decide.

    Args:
        candidates: CANDIDATES.
        part: whose queries and judgments.
        params: which branches, level and output depth.

    Returns:
        RUNS of the part's queries; the score is the grade, null where unjudged.
    """
    fused = candidates.filter(pl.col("branch").is_in(list(params.fused_branches))).join(
        part.queries, on="query_id", how="semi"
    )
    if fused.is_empty():
        return RUNS.empty()
    grades = part.judgments.filter(pl.col("status") == "judged").select(
        "query_id", "evidence_id", pl.col("grade").cast(pl.Float64).alias("score")
    )
    gain = pl.col("score").fill_null(0.0).clip(lower_bound=0.0)
    ordered = (
        _union(fused, params)
        .join(grades, on=["query_id", "evidence_id"], how="left")
        .sort(pl.col("query_id"), gain, "rank", "doc_id", descending=[False, True, False, False])
        .with_columns(pl.int_range(1, pl.len() + 1).over("query_id").alias("rank"))
        .filter(pl.col("rank") <= params.fusion.output_depth)
    )
    return RUNS.check(ordered.select(pl.lit(ORACLE_UNION).alias("system"), *list(RUNS.columns)[1:]))


def _union(fused: pl.DataFrame, params: Params) -> pl.DataFrame:
    """Each unit of the fusion level once, at its best rank in any branch."""
    first = fused.sort("query_id", "rank", "doc_id")
    key = ["query_id", LEVELS[params.fusion.level]]
    return first.unique(key, keep="first", maintain_order=True).select(
        "query_id", "rank", "doc_id", "evidence_id"
    )


def best_branch_per_query(
    per_query: pl.DataFrame, runs: pl.DataFrame, branches: Sequence[str], measure: str
) -> pl.DataFrame:
    """For each query the list of the branch with the highest primary value.

    Args:
        per_query: the part's rows of PER_QUERY.
        runs: RUNS of the branches.
        branches: their names; the first by name wins ties.
        measure: the primary measure.

    Returns:
        RUNS of the part's ranked queries.
    """
    winners = (
        per_query.filter(pl.col("system").is_in(list(branches)) & (pl.col("measure") == measure))
        .drop_nulls("value")
        .sort(["query_id", "value", "system"], descending=[False, True, False])
        .unique("query_id", keep="first", maintain_order=True)
    )
    own = runs.filter(pl.col("system").is_in(list(branches)))
    lists = own.join(winners.select("query_id", "system"), on=["query_id", "system"], how="semi")
    return RUNS.check(lists.with_columns(pl.lit(BEST_BRANCH_PER_QUERY).alias("system")))
