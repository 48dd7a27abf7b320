"""What the branches replied to many calls, as frames."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.tables import CANDIDATES, TEXT, WHOLE, Type

# status: as the engine says; returned: how many rows it says it returned; snapshot: the corpus
# its index says it was made of, null where it says nothing.
STATES: Mapping[str, Type] = {
    "branch": TEXT,
    "query_id": TEXT,
    "status": TEXT,
    "returned": WHOLE,
    "snapshot": TEXT,
}

LIST = ("branch", "query_id")


@dataclass(frozen=True, slots=True)
class Replies:
    """Replies of branches to queries.

    Args:
        lists: CANDIDATES.
        states: STATES, one row for each branch and query.
    """

    lists: pl.DataFrame
    states: pl.DataFrame

    def of(self, asked: pl.DataFrame) -> "Replies":
        """The replies to these: branch, query_id."""
        return Replies(
            self.lists.join(asked, on=LIST, how="semi", maintain_order="left"),
            self.states.join(asked, on=LIST, how="semi", maintain_order="left"),
        )


def replies_of(
    candidates: pl.DataFrame, candidate_queries: pl.DataFrame, snapshot: str | None
) -> Replies:
    """What a study stored, as replies of healthy engines.

    Args:
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        snapshot: the corpus that every index was made of.
    """
    states = candidate_queries.select(
        "branch", "query_id", "status", "returned", snapshot=pl.lit(snapshot, TEXT)
    )
    return Replies(candidates.select(list(CANDIDATES.columns)), states)
