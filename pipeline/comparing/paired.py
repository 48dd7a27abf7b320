"""B's selected configuration against A's, paired by query: as stored, or replayed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.comparing.differences import Differences
from pipeline.comparing.view import StudyView, shared_side
from pipeline.errors import RankgateError
from pipeline.measures import parse_measure
from pipeline.parts import side_of
from pipeline.statistics import named_seed, paired_comparison
from pipeline.systems import SELECTED

OURS, THEIRS = "B", "A"
SHOWN = ("delta", "low", "high", "p", "wins", "losses", "ties", "queries", "groups")


@dataclass(frozen=True, slots=True)
class Paired:
    """One measure of one system in two studies.

    Args:
        system: whose values.
        measure: which measure.
        before: its mean in A, over the paired queries.
        after: likewise in B.
        figures: delta (B - A), low, high (one-sided bounds at 1 - alpha), p (two-sided), wins,
            losses, ties, queries, groups.
    """

    system: str
    measure: str
    before: float | None
    after: float | None
    figures: Mapping[str, Any]

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "system": self.system,
            "measure": self.measure,
            "a": self.before,
            "b": self.after,
            **self.figures,
        }


def plain(a: StudyView, b: StudyView, found: Differences) -> list[Paired]:
    """Every system of both, on the queries that stand on the same side of both.

    Args:
        a: the earlier study.
        b: the later one, whose query groups are taken.
        found: what differs.

    Returns:
        The selected configuration on each measure of both, A's primary one first; then the
        other systems of both on that one.

    Raises:
        RankgateError: collection or judgments differ; no measure or query is in both.
    """
    if found.not_comparable:
        raise RankgateError(
            f"{' and '.join(found.not_comparable)} differ: means over them are not comparable",
            where=f"{a.name}, {b.name}",
            expected="the same collection and judgments",
            next_command=f"rankgate compare {a.name} {b.name} --replay",
        )
    side = shared_side(a, b)
    kept = pl.concat([side_of(side, v.read("splits")).select("query_id") for v in (a, b)])
    values = [_stored(view, side).filter(_twice(kept)) for view in (a, b)]
    measures = _measures(a, *values)
    systems = sorted(set(values[0]["system"]) & set(values[1]["system"]) - {SELECTED})
    wanted = [(SELECTED, name) for name in measures]
    wanted += [(system, measures[0]) for system in systems]
    return [
        pair(_of(values[0], *one), _of(values[1], *one), b, system=one[0], measure=one[1])
        for one in wanted
    ]


def pair(
    before: pl.DataFrame, after: pl.DataFrame, b: StudyView, *, system: str, measure: str
) -> Paired:
    """Two columns of values, paired.

    Args:
        before: query_id, value.
        after: likewise, of the same queries or some more.
        b: whose groups, alpha, resamples and seed are taken.
        system: what they are values of.
        measure: likewise.
    """
    both = before.join(after, on="query_id", suffix="_b").sort("query_id")
    values = pl.concat(
        [
            both.select(pl.lit(THEIRS).alias("system"), "query_id", "value"),
            both.select(pl.lit(OURS).alias("system"), "query_id", pl.col("value_b").alias("value")),
        ]
    )
    compared = paired_comparison(
        values,
        system=OURS,
        baseline=THEIRS,
        groups=dict(b.read("splits").select("query_id", "group_id").iter_rows()),
        alpha=b.params.evaluation.alpha,
        resamples=b.params.evaluation.resamples,
        seed=named_seed(b.params.seed, "compare", system, measure),
    )
    known = both.drop_nulls()
    figures = {name: getattr(compared, name) for name in SHOWN}
    if not parse_measure(measure).higher_is_better:
        figures |= {"wins": compared.losses, "losses": compared.wins}
    return Paired(system, measure, _mean(known["value"]), _mean(known["value_b"]), figures)


def _stored(view: StudyView, side: str) -> pl.DataFrame:
    values: pl.DataFrame = view.read("per_query")
    return values.filter(pl.col("split") == side)


def _twice(kept: pl.DataFrame) -> pl.Expr:
    counted = kept.group_by("query_id").len().filter(pl.col("len") == 2)
    return pl.col("query_id").is_in(counted["query_id"].to_list())


def _of(values: pl.DataFrame, system: str, measure: str) -> pl.DataFrame:
    mine = (pl.col("system") == system) & (pl.col("measure") == measure)
    return values.filter(mine).select("query_id", "value")


def _measures(a: StudyView, *values: pl.DataFrame) -> list[str]:
    """A's primary measure first, where both have it."""
    mine = [a.params.selection.measure, *a.params.evaluation.measures]
    shared = [name for name in dict.fromkeys(mine) if all(_has(v, name) for v in values)]
    if not shared:
        raise RankgateError(
            "no measure has values of the selected configuration in both on the same queries",
            found=f"{a.params.selection.measure} in A",
            expected="a shared measure in evaluation.measures, and queries on the same side",
        )
    return shared


def _has(values: pl.DataFrame, measure: str) -> bool:
    return _of(values, SELECTED, measure).height > 0


def _mean(values: pl.Series) -> float | None:
    return math.fsum(values) / len(values) if len(values) else None
