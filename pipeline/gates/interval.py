"""Verdicts on a paired difference, from its one-sided bounds L and U."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Status
from pipeline.measures import parse_measure
from pipeline.systems import SELECTED

# Below these an interval gate cannot pass: with few groups no interval keeps its promise.
GROUPS = 30
GROUPS_WITH_A_DIFFERENCE = 15


@dataclass(frozen=True, slots=True)
class Interval:
    """The selected configuration's paired difference to one baseline on the test.

    Args:
        baseline: whom it is compared with.
        delta: the mean gain: the difference, turned round where less of a measure is better.
        low: L, the one-sided lower bound; null where none can be computed.
        high: U, the one-sided upper bound.
        queries: queries compared.
        groups: query groups compared.
        groups_with_a_difference: groups whose differences do not add up to 0.
        slice: the slice it is about; "" is all queries.
        standard_error: of delta; null below two groups.
        highest_low: the highest L that any outcome on these queries could reach; null where it
            is not known.
    """

    baseline: str
    delta: float | None
    low: float | None
    high: float | None
    queries: int
    groups: int
    groups_with_a_difference: int
    slice: str = ""
    standard_error: float | None = None
    highest_low: float | None = None

    @classmethod
    def of(cls, row: Mapping[str, Any], measure: str, *, slice_name: str = "") -> "Interval":
        """The gain that a row of COMPARISONS, EQUAL_WORKS or POOL_BIAS tells.

        Args:
            row: columns to values; what that table lacks stays unknown.
            measure: the row's, as far as it tells whether more is better.
            slice_name: the slice it is about.
        """
        return cls(
            baseline=row["baseline"],
            delta=row["delta"],
            low=row["low"],
            high=row["high"],
            queries=row["queries"],
            groups=row["groups"],
            groups_with_a_difference=row["nonzero_groups"],
            slice=slice_name,
            standard_error=row.get("standard_error"),
            highest_low=row.get("highest_low"),
        ).turned(measure)

    @property
    def can_pass(self) -> bool:
        """Whether there are groups, and spread, enough for an interval to be believed."""
        return (
            self.groups >= GROUPS
            and self.groups_with_a_difference >= GROUPS_WITH_A_DIFFERENCE
            and not self.is_a_point
        )

    @property
    def is_a_point(self) -> bool:
        """Whether every difference is the same: nothing tells how sure that is."""
        return self.low == self.high

    def unresolvable(self, limit: float) -> bool:
        """Whether no outcome on these queries could pass, not even the best system's."""
        return self.highest_low is not None and self.highest_low <= limit

    @property
    def says_nothing(self) -> bool:
        """Whether a few groups with the same difference are all there is."""
        return self.is_a_point and self.groups < GROUPS

    def turned(self, measure: str) -> "Interval":
        """From difference to gain, and back: only where less of the measure is better."""
        if parse_measure(measure).higher_is_better:
            return self
        return replace(
            self,
            delta=_negative(self.delta),
            low=_negative(self.high),
            high=_negative(self.low),
        )

    def evidence(self, measure: str) -> dict[str, object]:
        """The difference in the measure as it stands in a gate's evidence."""
        plain = self.turned(measure)
        return {
            "baseline": self.baseline,
            "slice": self.slice,
            "delta": plain.delta,
            "low": plain.low,
            "high": plain.high,
            "queries": self.queries,
            "groups": self.groups,
            "groups_with_a_difference": self.groups_with_a_difference,
        }


def weakest_first(compared: Iterable[Interval]) -> list[Interval]:
    """Sorted from the least lower bound on, by baseline where equal; without a bound first."""
    return sorted(
        compared, key=lambda one: (-math.inf if one.low is None else one.low, one.baseline)
    )


def at_most(high: float, limit: float) -> bool:
    """U <= limit, within the rounding of floats."""
    return high <= limit + ROUNDING


def below(high: float, limit: float) -> bool:
    """U < limit, by more than the rounding of floats: it is no failure to meet it exactly."""
    return high < limit - ROUNDING


def verdict(
    interval: Interval,
    limit: float,
    *,
    fails: Callable[[float, float], bool] = at_most,
    best_high: float = -math.inf,
) -> Status:
    """Passes where L > limit, fails where U is under it, else unresolved.

    Args:
        interval: the paired difference.
        limit: what the difference must exceed: a margin, or minus a tolerance.
        fails: how U is held against the limit.
        best_high: U with unjudged evidence at its best for the selected configuration; the
            gate fails only where this is under the limit, too.

    Returns:
        pass, fail or unresolved; never pass with too few groups, and neither where the same
        difference in a few groups leaves no interval to speak of.
    """
    if interval.low is None or interval.high is None:
        return "unresolved"
    if interval.low > limit:
        return "pass" if interval.can_pass else "unresolved"
    if interval.says_nothing:
        return "unresolved"
    return "fail" if fails(max(interval.high, best_high), limit) else "unresolved"


def intervals(
    findings: Findings, *, measure: str, baselines: Sequence[str], slice_name: str = ""
) -> list[Interval]:
    """The test's comparisons of the selected configuration with these baselines.

    Returns:
        One interval for each baseline that was compared, by name.
    """
    rows = findings.comparisons.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("split") == "test")
        & (pl.col("measure") == measure)
        & (pl.col("slice") == slice_name)
        & pl.col("baseline").is_in(list(baselines))
    ).sort("baseline")
    return [Interval.of(row, measure, slice_name=slice_name) for row in rows.iter_rows(named=True)]


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
