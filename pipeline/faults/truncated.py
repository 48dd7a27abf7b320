"""A list breaks off on its way."""

import polars as pl

from pipeline.acceptance import Replies
from pipeline.faults.fault import Fault, Hit

# Of each list so many parts are lost, one arrives.
PARTS = 10


def _break_off(hit: Hit) -> Replies:
    length = pl.len().over("branch", "query_id")
    first = pl.col("rank") <= (length + PARTS - 1) // PARTS
    return Replies(hit.replies.lists.filter(first), hit.replies.states)


TRUNCATED = Fault(
    "{} cut off",
    "a tenth of each list arrives",
    "noticed by the number of rows the engine says it returned; the rows are used, the answer is "
    "marked as partial",
    _break_off,
)
