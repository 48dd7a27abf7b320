"""The engine ignores its filter and says that it did not."""

import numpy as np
import polars as pl

from pipeline.acceptance import Replies
from pipeline.faults.fault import Fault, Hit

# So many documents that the principal may not see stand on top of each list.
LEAKED = 3


def _leak(hit: Hit) -> Replies:
    hidden = _hidden(hit)
    leaks = hit.replies.states.select("branch", "query_id").join(hidden, on="query_id")
    best = pl.col("score").max().over("branch", "query_id")
    held = hit.replies.lists.with_columns(best=best)
    top = held.select("branch", "query_id", "best").unique()
    first = leaks.join(top, on=["branch", "query_id"], how="left").with_columns(
        rank=pl.col("place") - LEAKED,
        evidence_id="doc_id",
        source_id="doc_id",
        score=pl.col("best"),
    )
    columns = hit.replies.lists.columns
    # A document that leaks twice would tell on itself: the lists hold eligible ones only.
    rows = pl.concat([first.select(columns), held.select(columns)])
    order = ["branch", "query_id", "rank"]
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("branch", "query_id")
    lists = rows.sort(order).with_columns(rank=rank)
    counts = lists.group_by("branch", "query_id").agg(told=pl.len().cast(pl.Int64))
    states = hit.replies.states.join(
        counts, on=["branch", "query_id"], how="left", maintain_order="left"
    ).with_columns(returned=pl.col("told").fill_null(0), status=pl.lit("ok"))
    return Replies(lists, states.drop("told"))


def _hidden(hit: Hit) -> pl.DataFrame:
    """query_id, place (from 0), doc_id: the first documents that each query may not see."""
    ids = hit.known.place.sort("place")["doc_id"]
    rows = [
        (number, place, ids[int(row)])
        for number, mask in enumerate(hit.known.masks)
        for place, row in enumerate(np.flatnonzero(~mask)[:LEAKED])
    ]
    schema = {"group": pl.Int64(), "place": pl.Int64(), "doc_id": pl.String()}
    hidden = pl.DataFrame(rows, schema=schema, orient="row")
    return hit.known.group.join(hidden, on="group").select("query_id", "place", "doc_id")


FILTER_IGNORED = Fault(
    "{} ignoring its filter",
    f"{LEAKED} documents that the principal may not see stand on top of each list",
    "each list is held against the service's own rule: one that holds a forbidden document is "
    "refused whole, answered from the others, marked as partial",
    _leak,
)
