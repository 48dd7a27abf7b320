"""Each query's change: the selected configuration's value less a baseline's."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.measures import parse_measure
from pipeline.statistics.groups import EQUAL
from pipeline.systems import SELECTED


@dataclass(frozen=True, slots=True)
class Change:
    """One query's values under the selected configuration and under a baseline."""

    query_id: str
    selected: float
    baseline: float

    @property
    def delta(self) -> float:
        """The difference; what is a matter of rounding is 0."""
        difference = self.selected - self.baseline
        return 0.0 if abs(difference) <= EQUAL else difference


@dataclass(frozen=True, slots=True)
class Changes:
    """All queries' changes to one baseline.

    Args:
        every: sorted, the largest gain first, equal ones by query id.
        gained: those that got better, the largest gain first.
        lost: those that got worse, the largest loss first.
    """

    every: Sequence[Change]
    gained: Sequence[Change]
    lost: Sequence[Change]


def changes(per_query: pl.DataFrame, *, side: str, measure: str, baseline: str) -> Changes:
    """The changes of the queries that have a value under both systems.

    Args:
        per_query: PER_QUERY.
        side: dev or test.
        measure: whose values.
        baseline: whom the selected configuration is held against.
    """
    values = per_query.filter(
        (pl.col("split") == side) & (pl.col("measure") == measure) & pl.col("value").is_not_null()
    ).select("system", "query_id", "value")
    both = values.filter(pl.col("system") == SELECTED).join(
        values.filter(pl.col("system") == baseline), on="query_id", suffix="_baseline"
    )
    sign = 1 if parse_measure(measure).higher_is_better else -1
    found = [Change(*row) for row in both.select("query_id", "value", "value_baseline").rows()]
    return Changes(
        every=sorted(found, key=lambda one: (-sign * one.delta, one.query_id)),
        gained=_largest(found, sign),
        lost=_largest(found, -sign),
    )


def _largest(found: Sequence[Change], sign: int) -> list[Change]:
    mine = [one for one in found if sign * one.delta > 0]
    return sorted(mine, key=lambda one: (-sign * one.delta, one.query_id))
