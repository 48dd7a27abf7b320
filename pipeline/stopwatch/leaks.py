"""What branches listed while they were timed, held against each query's own rights.

An engine can keep its filter when it is asked by one caller and lose it among sixteen; the lists of
the study itself were retrieved one after the other.
"""

from collections.abc import Iterable

import polars as pl

from pipeline.errors import ContractError
from pipeline.forbidden import ROW, forbidden
from pipeline.stopwatch.call import Called


def refuse_leaks(
    calls: Iterable[Called], documents: pl.DataFrame, queries: pl.DataFrame, *, callers: int
) -> None:
    """Refuses times of branches that listed what their query may not see.

    Args:
        calls: what was asked and listed.
        documents: DOCUMENTS.
        queries: QUERIES.
        callers: how many asked at once, for the message.

    Raises:
        ContractError: a list holds a forbidden document; names branch, query and reason.
    """
    found = forbidden(_listed(calls), documents, queries)
    if found.is_empty():
        return
    first = found.row(0, named=True)
    raise ContractError(
        "a branch listed what its query may not see while it was timed: nothing was recorded",
        where=f"candidates.{first['system']}, {callers} caller(s) at once",
        found=f"{found.height} rows; first query {first['query_id']}: {first['reason']}",
        expected="each query's filter applied before the branch ranks",
        next_command="rankgate time, once the branch keeps its filter",
    )


def _listed(calls: Iterable[Called]) -> pl.DataFrame:
    rows = {
        (branch, one.query_id, str(doc_id))
        for one in calls
        for branch, doc_ids in one.listed
        for doc_id in doc_ids
    }
    return pl.DataFrame(sorted(rows), schema=dict.fromkeys(ROW, pl.String), orient="row")
