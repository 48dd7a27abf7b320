"""The slices of a split: those with enough queries are shown, the others are named."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

ALL_QUERIES = ""


@dataclass(frozen=True, slots=True)
class Slices:
    """The slices of one split.

    Args:
        shown: slice to its ranked queries, sorted; "" is all of them and comes first.
        left_out: slice to its number of ranked queries, where that is below the minimum.
        derived: which of those shown the collection does not declare itself.
    """

    shown: Mapping[str, tuple[str, ...]]
    left_out: Mapping[str, int]
    derived: frozenset[str] = field(default_factory=frozenset)

    def members(self) -> pl.DataFrame:
        """`slice, query_id` of the slices shown."""
        rows = [(name, query) for name, members in self.shown.items() for query in members]
        return pl.DataFrame(rows, schema={"slice": pl.String, "query_id": pl.String}, orient="row")


def declared_slices(queries: pl.DataFrame, ranked: Sequence[str], *, minimum: int) -> Slices:
    """The slices that the collection declares, over the ranked queries of one split.

    Args:
        queries: `query_id, slices` (a list of names, or null).
        ranked: the queries that enter ranking means.
        minimum: from how many queries on a slice is shown.
    """
    members: dict[str, set[str]] = {}
    for query, names in _rows(queries, ranked):
        for name in names:
            members.setdefault(name, set()).add(query)
    sizes = {name: len(members[name]) for name in sorted(members)}
    shown = {name: tuple(sorted(members[name])) for name in sizes if sizes[name] >= minimum}
    left_out = {name: count for name, count in sizes.items() if count < minimum}
    return Slices({ALL_QUERIES: tuple(sorted(ranked)), **shown}, left_out)


def _rows(queries: pl.DataFrame, ranked: Sequence[str]) -> Iterable[tuple[str, list[str]]]:
    wanted = queries.filter(pl.col("query_id").is_in(list(ranked)) & pl.col("slices").is_not_null())
    return wanted.select("query_id", "slices").iter_rows()
