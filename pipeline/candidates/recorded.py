"""The `recorded` kind: lists that another system returned, taken as they are.

Ineligible documents stay in them: what leaked must be seen, not tidied away.
"""

import polars as pl

from pipeline.collection.order import order_run
from pipeline.identity import attach
from pipeline.params import RecordedBranch
from pipeline.recorded import RecordedRun


def recorded_lists(
    branch: RecordedBranch,
    run: RecordedRun,
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    duplicates: str,
    name: str,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Orders a recorded run once, cuts it to the branch's depth, and says how each query went.

    Args:
        branch: order, higher_is_better, depth.
        run: the run as it was read.
        documents: table DOCUMENTS.
        queries: table QUERIES; what the run says of other queries is left out.
        duplicates: reject or keep_first.
        name: the branch's name, for messages.

    Returns:
        Tables BRANCH_CANDIDATES and BRANCH_QUERIES.

    Raises:
        ContractError: a list holds documents that are not in the collection; or as `order_run`.
    """
    ordered = order_run(
        run,
        order=branch.order,
        higher_is_better=branch.higher_is_better,
        duplicates=duplicates,
        where=f"candidates.{name}, runs/{branch.run}",
    )
    asked = ordered.join(queries.select("query_id"), on="query_id", how="semi")
    carried = attach(asked, documents, where=f"candidates.{name}, runs/{branch.run}")
    lists = carried.filter(pl.col("rank") <= branch.depth)
    return lists, _states(lists, run.queries, queries)


def _states(lists: pl.DataFrame, said: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    counts = lists.group_by("query_id").agg(returned=pl.len().cast(pl.Int64))
    return (
        queries.select("query_id")
        .join(said.select("query_id", "status", "filters"), on="query_id", how="left")
        .join(counts, on="query_id", how="left")
        .with_columns(pl.col("returned").fill_null(0), eligible=pl.lit(None, dtype=pl.Int64))
        .with_columns(
            status=pl.when(pl.col("status").is_null())
            .then(pl.lit("missing"))
            .when((pl.col("status") == "ok") & (pl.col("returned") == 0))
            .then(pl.lit("empty"))
            .otherwise(pl.col("status"))
        )
        .select("query_id", "status", "returned", "eligible", filter="filters")
    )
