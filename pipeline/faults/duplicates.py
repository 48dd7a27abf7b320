"""Each second place of a list repeats the document before it."""

import polars as pl

from pipeline.acceptance import Replies
from pipeline.faults.fault import Fault, Hit

_FIELDS = ("doc_id", "evidence_id", "source_id", "score")


def _repeat(hit: Hit) -> Replies:
    rows = hit.replies.lists.sort("branch", "query_id", "rank")
    second = pl.col("rank") % 2 == 0
    repeated = rows.with_columns(
        [
            pl.when(second)
            .then(pl.col(f).shift(1).over("branch", "query_id"))
            .otherwise(f)
            .alias(f)
            for f in _FIELDS
        ]
    )
    return Replies(repeated, hit.replies.states)


DUPLICATES = Fault(
    "{} repeating documents",
    "each second place repeats the document before it",
    "as fusion.duplicates says: the list is refused, or first places are kept; marked as partial",
    _repeat,
)
