"""Calls in which a branch raised: quick, and no time of anything.

A service answers from the other branches, and so does a call that is timed; but what a branch takes
to fail would pass any limit.
"""

from collections.abc import Iterable

from pipeline.errors import ContractError
from pipeline.stopwatch.call import Called


def refuse_failures(calls: Iterable[Called], *, callers: int) -> None:
    """Refuses times of branches that failed.

    Args:
        calls: what was asked.
        callers: how many asked at once, for the message.

    Raises:
        ContractError: a branch raised; names it, the first query and the kind of error.
    """
    found = [(branch, one.query_id, reason) for one in calls for branch, reason in one.failed]
    if not found:
        return
    branch, query, reason = found[0]
    raise ContractError(
        "a branch failed while it was timed: nothing was recorded",
        where=f"candidates.{branch}, {callers} caller(s) at once",
        found=f"{len(found)} failed calls; first query {query}: {reason}",
        expected="an answer to every call, or none within its budget",
        next_command="rankgate time, once the branch answers",
    )
