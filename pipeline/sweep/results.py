"""The tables of a sweep: values, what is tied with the best, and what `dvc plots` draws."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from pipeline.fusion import Configuration
from pipeline.grid.differences import DUST, Grouping, Reals, direction, paired_errors
from pipeline.tables import RESULTS, SWEEP_PER_QUERY


def per_query_table(
    configurations: Sequence[Configuration],
    measures: Sequence[str],
    queries: Sequence[str],
    values: Reals,
) -> pl.DataFrame:
    """SWEEP_PER_QUERY from values (configurations, measures, queries), sorted by its key."""
    by_query = np.ascontiguousarray(np.moveaxis(values, 1, 2))
    order = np.argsort(np.array([c.id for c in configurations], dtype=object), kind="stable")
    ids = pl.Series([configurations[place].id for place in order], dtype=pl.String)
    columns = np.argsort(np.array(measures, dtype=object), kind="stable")
    counts = len(configurations), len(queries), len(measures)
    index = np.indices(counts, dtype=np.uint32).reshape(3, -1)
    names = pl.Series([measures[place] for place in columns], dtype=pl.String)
    asked = pl.Series(list(queries), dtype=pl.String)
    return pl.DataFrame(
        {
            "configuration": ids.gather(index[0]),
            "query_id": asked.gather(index[1]),
            "measure": names.gather(index[2]),
            "value": pl.Series(by_query[order][:, :, columns].ravel(), nan_to_null=True),
        },
        schema=dict(SWEEP_PER_QUERY.columns),
    )


def results_table(
    configurations: Sequence[Configuration],
    measures: Sequence[str],
    values: Reals,
    *,
    declared: Sequence[str],
    grouping: Grouping,
) -> pl.DataFrame:
    """RESULTS: means over the queries where a measure is defined, and ties.

    Args:
        configurations: as the first axis of the values.
        measures: as the second.
        values: (configurations, measures, queries).
        declared: ids of the declared grid: the best of these is what all are compared with.
        grouping: the groups of the queries.

    Returns:
        configuration, measure, value, delta_to_best (value less the best's), standard_error (of
        that paired difference, by group), tied (delta within one standard error); the best of
        the declared grid is the first by id of those with the best mean.
    """
    mine = np.isin([c.id for c in configurations], list(declared))
    parts = [
        _of_measure(configurations, name, values[:, place], mine, grouping)
        for place, name in enumerate(measures)
    ]
    return RESULTS.check(pl.concat(parts)) if parts else RESULTS.empty()


def _of_measure(
    configurations: Sequence[Configuration],
    measure: str,
    values: Reals,
    declared: np.ndarray,
    grouping: Grouping,
) -> pl.DataFrame:
    undefined = np.isnan(values).any(axis=0)
    sums = grouping.sums(np.where(undefined, 0.0, values) * direction(measure))
    counts = grouping.sums(np.where(undefined, 0.0, 1.0))
    if not counts.sum():
        means = errors = behind = np.full(len(configurations), np.nan)
    else:
        means = np.round(np.einsum("pg->p", sums) / counts.sum(), 12)
        best = int(np.where(declared, means, -np.inf).argmax())
        errors = paired_errors(sums, counts, (counts > 0).astype(np.float64), best)
        behind = np.round(means[best] - means, 12)
    return pl.DataFrame(
        {
            "configuration": [c.id for c in configurations],
            "measure": measure,
            "value": pl.Series(means * direction(measure), nan_to_null=True),
            "delta_to_best": pl.Series(-behind * direction(measure) + 0.0, nan_to_null=True),
            "standard_error": pl.Series(errors, nan_to_null=True),
            "tied": behind <= errors + DUST,
        },
        schema=dict(RESULTS.columns),
    )


def sensitivity_table(
    configurations: Sequence[Configuration],
    results: pl.DataFrame,
    branches: Sequence[str],
) -> pl.DataFrame:
    """How a grid's values depend on its axes, for `dvc plots`.

    Args:
        configurations: the declared grid.
        results: RESULTS.
        branches: the fused branches, in the order of the columns.

    Returns:
        measure, method, rank_constant, weight_BRANCH…, depth (the greatest), value; sorted by
        all of them but the value.
    """
    rows = pl.DataFrame(
        [
            {
                "configuration": point.id,
                "method": point.method,
                "rank_constant": point.rank_constant,
                **{f"weight_{name}": dict(point.weights).get(name, 0.0) for name in branches},
                "depth": max(depth for _, depth in point.depths),
            }
            for point in configurations
        ],
        schema={
            "configuration": pl.String,
            "method": pl.String,
            "rank_constant": pl.Float64,
            **{f"weight_{name}": pl.Float64 for name in branches},
            "depth": pl.Int64,
        },
    )
    axes = ["measure", *rows.columns[1:]]
    drawn = rows.join(results.select("configuration", "measure", "value"), on="configuration")
    return drawn.select(*axes, "value").sort(axes, nulls_last=True)
