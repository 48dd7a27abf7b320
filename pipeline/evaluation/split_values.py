"""Every system's values on one part: per query, and their means with intervals."""

import math
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from pipeline.evaluation.rankings import Rankings
from pipeline.measures import has_ties, parse_measure
from pipeline.params import Params, RecordedBranch
from pipeline.parts import Part
from pipeline.statistics import MeanInterval, group_numbers, mean_interval, share_interval
from pipeline.statistics.groups import EQUAL
from pipeline.systems import PRODUCTION
from pipeline.tables import PER_QUERY, SYSTEMS


def measure_names(params: Params) -> list[str]:
    """The measures of a study: the primary one first, then the others declared."""
    return list(dict.fromkeys([params.selection.measure, *params.evaluation.measures]))


def per_query_values(
    runs: pl.DataFrame,
    systems: Iterable[str],
    part: Part,
    params: Params,
    *,
    measures: Sequence[str] = (),
) -> pl.DataFrame:
    """The values of the part's ranked queries.

    Args:
        runs: RUNS; a query that a system lacks has 0.
        systems: which systems, also those without any list.
        part: whose queries and judgments.
        params: measures and the relevance threshold.
        measures: only these; all of the study's where empty.

    Returns:
        PER_QUERY; null where a measure is not defined for a query.
    """
    if not part.ranked:
        return PER_QUERY.empty()
    frames = [
        part.values_of(
            runs.filter(pl.col("system") == system),
            list(measures) or measure_names(params),
            rel=params.collection.rel,
        ).with_columns(pl.lit(system).alias("system"), pl.lit(part.split).alias("split"))
        for system in sorted(systems)
    ]
    return PER_QUERY.check(pl.concat(frames)) if frames else PER_QUERY.empty()


def system_means(
    per_query: pl.DataFrame,
    lists: Rankings,
    part: Part,
    params: Params,
) -> pl.DataFrame:
    """Macro means over queries, with one-sided bounds by query group, and their range over ties.

    Args:
        per_query: the part's rows of PER_QUERY.
        lists: what they were measured on.
        part: its query groups and level.
        params: the relevance threshold, and which branches are ordered by something else than
            their scores: these have no ties.

    Returns:
        SYSTEMS. Where a measure is defined for no query its value is null; the range over ties is
        null for measures that ir_measures computes.
    """
    roles = lists.roles
    ties = {name: _ties(name, lists, per_query, part, params) for name in sorted(roles)}
    by_measure = per_query.group_by("system", "measure", maintain_order=True)
    rows = [
        {
            **_mean_row(str(system), str(measure), rows, roles, part),
            **ties[str(system)].get(str(measure), NO_TIES),
        }
        for (system, measure), rows in by_measure
    ]
    frame = pl.DataFrame(rows, schema=dict(SYSTEMS.columns), orient="row")
    return SYSTEMS.check(frame)


Tied = dict[str, float | int | None]
NO_TIES: Tied = {"tied_queries": None, "tied_low": None, "tied_high": None}


def _ties(
    system: str, lists: Rankings, per_query: pl.DataFrame, part: Part, params: Params
) -> dict[str, Tied]:
    """By measure, what the order of tied items decides of a system's mean."""
    run = lists.runs.filter(pl.col("system") == system)
    values = per_query.filter(pl.col("system") == system)
    if _ordered_otherwise(system, lists, params) or not has_ties(run):
        ranges = values.select("query_id", "measure", lowest="value", highest="value")
    else:
        measures = values["measure"].unique().to_list()
        ranges = part.tie_ranges_of(run, measures, rel=params.collection.rel)
    return {str(name): _tied(rows) for (name,), rows in ranges.group_by("measure")}


def _tied(ranges: pl.DataFrame) -> Tied:
    known = ranges.drop_nulls("lowest").sort("query_id")
    moved = known["highest"] - known["lowest"] > EQUAL
    return {
        "tied_queries": int(moved.sum()),
        "tied_low": _mean(known["lowest"]),
        "tied_high": _mean(known["highest"]),
    }


def _mean(values: pl.Series) -> float | None:
    return math.fsum(values) / len(values) if len(values) else None


def _ordered_otherwise(system: str, lists: Rankings, params: Params) -> bool:
    """Whether it is a recorded branch by another name or its own, ordered by rank or by line."""
    names = {**lists.aliases, **({PRODUCTION: params.production} if params.production else {})}
    branch = params.candidates.get(names.get(system, system))
    return isinstance(branch, RecordedBranch) and branch.order != "score"


def _mean_row(
    system: str, measure: str, values: pl.DataFrame, roles: Mapping[str, str], part: Part
) -> dict[str, object]:
    interval = _interval(measure, values, part)
    return {
        "system": system,
        "role": roles[system],
        "split": part.split,
        "measure": measure,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
        "queries": interval.queries,
        "groups": interval.groups,
    }


def _interval(measure: str, values: pl.DataFrame, part: Part) -> MeanInterval:
    """Of a share by its own method: the t interval leaves 0 to 1, and shows nothing at either."""
    if not parse_measure(measure).is_share:
        return mean_interval(values, part.groups, part.alpha)
    rows = values.select("query_id", "value").drop_nulls("value").sort("query_id")
    numbers = group_numbers(rows["query_id"].to_list(), part.groups)
    return share_interval(rows["value"].to_numpy(), numbers, part.alpha)
