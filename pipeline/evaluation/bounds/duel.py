"""One query's two lists, and the unjudged evidence that could change their difference."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from pipeline.measures import judged_pairs


@dataclass(frozen=True, slots=True)
class Duel:
    """Two systems' lists for one query.

    Args:
        query_id: the query.
        ours: the selected system's evidence by rank.
        theirs: the baseline's evidence by rank.
        grades: the query's judged evidence.
    """

    query_id: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    grades: Mapping[str, int]

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Evidence that either list holds and nobody graded, sorted."""
        return tuple(sorted({*self.ours, *self.theirs} - self.grades.keys()))

    def cut(self, cutoff: int | None) -> "Duel":
        """Both lists down to a cutoff; whole where it is None."""
        return replace(self, ours=self.ours[:cutoff], theirs=self.theirs[:cutoff])

    def swapped(self) -> "Duel":
        """The same duel from the baseline's point of view."""
        return Duel(self.query_id, self.theirs, self.ours, self.grades)


def duels(
    ours: pl.DataFrame,
    theirs: pl.DataFrame,
    judgments: pl.DataFrame,
    queries: Sequence[str],
) -> list[Duel]:
    """The duels of these queries, in their order.

    Args:
        ours: the selected system's run: `query_id, rank, evidence_id`.
        theirs: the baseline's run.
        judgments: resolved judgments; only judged ones have a grade.
        queries: query ids.
    """
    our_lists, their_lists = _lists(ours), _lists(theirs)
    grades: dict[str, dict[str, int]] = {}
    for query, evidence, grade in judged_pairs(judgments).iter_rows():
        grades.setdefault(query, {})[evidence] = grade
    return [
        Duel(query, our_lists.get(query, ()), their_lists.get(query, ()), grades.get(query, {}))
        for query in queries
    ]


def _lists(run: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    by_rank = run.sort("query_id", "rank").group_by("query_id", maintain_order=True)
    lists = by_rank.agg(pl.col("evidence_id"))
    return {query: tuple(items) for query, items in lists.iter_rows()}
