"""Every system's values on one part: per query, and their means with intervals."""

from collections.abc import Iterable, Mapping

import polars as pl

from pipeline.measures import per_query
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import mean_interval
from pipeline.tables import PER_QUERY, SYSTEMS


def measure_names(params: Params) -> list[str]:
    """The measures of a study: the primary one first, then the others declared."""
    return list(dict.fromkeys([params.selection.measure, *params.evaluation.measures]))


def per_query_values(
    runs: pl.DataFrame, systems: Iterable[str], part: Part, params: Params
) -> pl.DataFrame:
    """The values of the part's ranked queries.

    Args:
        runs: RUNS; a query that a system lacks has 0.
        systems: which systems, also those without any list.
        part: whose queries and judgments.
        params: measures and the relevance threshold.

    Returns:
        PER_QUERY; null where a measure is not defined for a query.
    """
    if not part.ranked:
        return PER_QUERY.empty()
    frames = [
        per_query(
            runs.filter(pl.col("system") == system),
            part.judgments,
            measure_names(params),
            rel=params.collection.rel,
            queries=part.ranked,
            required=part.required(),
            repeats="first_gains",
        ).with_columns(pl.lit(system).alias("system"), pl.lit(part.split).alias("split"))
        for system in sorted(systems)
    ]
    return PER_QUERY.check(pl.concat(frames)) if frames else PER_QUERY.empty()


def system_means(per_query: pl.DataFrame, roles: Mapping[str, str], part: Part) -> pl.DataFrame:
    """Macro means over queries, with cluster-robust one-sided bounds.

    Args:
        per_query: the part's rows of PER_QUERY.
        roles: system to role.
        part: its query groups and level.

    Returns:
        SYSTEMS. Where a measure is defined for no query its value is null.
    """
    by_measure = per_query.group_by("system", "measure", maintain_order=True)
    rows = [
        _mean_row(str(system), str(measure), rows, roles, part)
        for (system, measure), rows in by_measure
    ]
    frame = pl.DataFrame(rows, schema=dict(SYSTEMS.columns), orient="row")
    return SYSTEMS.check(frame)


def _mean_row(
    system: str, measure: str, values: pl.DataFrame, roles: Mapping[str, str], part: Part
) -> dict[str, object]:
    interval = mean_interval(values, part.groups, part.alpha)
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
