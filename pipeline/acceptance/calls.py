"""One call: the replies that were waited for, held against what the service knows."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import polars as pl

from pipeline.acceptance.accepting import accept
from pipeline.acceptance.known import Known
from pipeline.acceptance.replies import STATES, Replies
from pipeline.serving import Reply, Status
from pipeline.tables import BRANCH_CANDIDATES, CANDIDATES


def accept_call(replies: Mapping[str, Reply], query_id: str, known: Known) -> dict[str, Reply]:
    """The replies as they may be served; `reason` names the mark.

    Args:
        replies: branch to its reply to this query, as `ask_branches` gives them.
        query_id: whose eligibility counts.
        known: what the service knows.
    """
    accepted = accept(_framed(replies, query_id), known)
    said = {row["branch"]: row for row in accepted.states.iter_rows(named=True)}
    rows = list(BRANCH_CANDIDATES.columns)
    return {
        name: replace(
            reply,
            status=cast(Status, said[name]["status"]),
            rows=accepted.lists.filter(pl.col("branch") == name).select(rows),
            reason=reply.reason or said[name]["mark"],
        )
        for name, reply in replies.items()
    }


def _framed(replies: Mapping[str, Reply], query_id: str) -> Replies:
    states: list[dict[str, Any]] = []
    lists = [CANDIDATES.empty()]
    for name, reply in replies.items():
        count = 0 if reply.rows is None else reply.rows.height
        states.append(
            {
                "branch": name,
                "query_id": query_id,
                "status": reply.status,
                "returned": count if reply.returned is None else reply.returned,
                "snapshot": reply.snapshot,
            }
        )
        if reply.rows is not None:
            lists.append(
                reply.rows.select(pl.lit(name).alias("branch"), *BRANCH_CANDIDATES.columns)
            )
    return Replies(pl.concat(lists), pl.DataFrame(states, schema=dict(STATES)))
