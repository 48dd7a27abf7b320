"""The index was made of an earlier corpus: some documents are not in it yet, others are gone."""

import polars as pl

from pipeline.acceptance import Replies
from pipeline.faults.fault import Fault, Hit
from pipeline.statistics.seeds import named_generator

# Of all documents so many were not there yet, and so many have been deleted since.
NEW, GONE = 1 / 4, 1 / 10


def _points(hit: Hit) -> pl.DataFrame:
    """doc_id, point (0 to 1): the same earlier corpus behind every list of every branch."""
    ids = hit.known.place.select("doc_id").sort("doc_id")
    drawn = named_generator(hit.seed, "earlier corpus").random(ids.height)
    return ids.with_columns(point=pl.Series(drawn))


def earlier(snapshot: str) -> str:
    """The digest that the index of the earlier corpus names."""
    return f"earlier than {snapshot}"


def _earlier_lists(hit: Hit) -> Replies:
    rows = hit.replies.lists.join(_points(hit), on="doc_id", how="left")
    old = rows.filter(pl.col("point") >= NEW).sort("branch", "query_id", "rank")
    deleted = pl.col("point") >= 1 - GONE
    named = old.with_columns(
        pl.when(deleted).then("deleted:" + pl.col(name)).otherwise(name).alias(name)
        for name in ("doc_id", "evidence_id")
    )
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("branch", "query_id")
    lists = named.with_columns(rank=rank).drop("point")
    counts = lists.group_by("branch", "query_id").agg(told=pl.len().cast(pl.Int64))
    states = hit.replies.states.join(
        counts, on=["branch", "query_id"], how="left", maintain_order="left"
    ).with_columns(
        returned=pl.col("told").fill_null(0),
        snapshot=pl.lit(earlier(hit.known.snapshot)),
    )
    return Replies(lists, states.drop("told"))


STALE = Fault(
    "{} on a stale index",
    "the index is of an earlier corpus: a quarter of the documents not in it yet, a tenth deleted "
    "since",
    "noticed by the snapshot that the index names: its list is refused, answered from the others, "
    "marked as partial",
    _earlier_lists,
)
