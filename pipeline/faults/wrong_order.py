"""Lists arrive in another order than their scores say."""

import polars as pl

from pipeline.acceptance import Replies
from pipeline.faults.fault import Fault, Hit


def _turn_round(hit: Hit) -> Replies:
    last = pl.col("rank").max().over("branch", "query_id")
    turned = hit.replies.lists.with_columns(rank=last + 1 - pl.col("rank"))
    return Replies(turned.sort("branch", "query_id", "rank"), hit.replies.states)


WRONG_ORDER = Fault(
    "{} upside down",
    "each list arrives upside down, with the right scores",
    "put back in order of score, marked as reordered; where a branch's order is not that of its "
    "scores nothing can be told, and the fault is not tried",
    _turn_round,
    by_score_only=True,
)
