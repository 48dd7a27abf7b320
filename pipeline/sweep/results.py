"""The tables of a sweep: values, what is tied with the best, and what `dvc plots` draws."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from pipeline.fusion import Configuration
from pipeline.grid.differences import DUST, Grouping, Reals, direction
from pipeline.pieces import Pieces
from pipeline.sweep.store import Values
from pipeline.sweep.sums import Sums
from pipeline.tables import RESULTS, SWEEP_PER_QUERY

ROWS = 1_000_000
"""Rows of a piece, about: some 60 MB in memory."""


def per_query_pieces(
    configurations: Sequence[Configuration],
    measures: Sequence[str],
    queries: Sequence[str],
    values: Values,
    *,
    rows: int = ROWS,
) -> Pieces:
    """SWEEP_PER_QUERY in pieces of about so many rows, each with whole configurations.

    Args:
        configurations: sorted by id, as the first axis of the values.
        measures: as the second.
        queries: sorted, as the third.
        values: of the sweep.
        rows: of a piece.
    """
    if not configurations or not measures or not queries:
        return Pieces(lambda: iter([SWEEP_PER_QUERY.empty()]))
    ids = [point.id for point in configurations]

    def make() -> Iterator[pl.DataFrame]:
        for chosen, part in values.parts(rows):
            yield _per_query(ids[chosen], measures, queries, part)

    return Pieces(make)


def _per_query(
    ids: Sequence[str], measures: Sequence[str], queries: Sequence[str], values: Reals
) -> pl.DataFrame:
    columns = np.argsort(np.array(measures, dtype=object), kind="stable")
    by_query = np.ascontiguousarray(np.moveaxis(values[:, columns], 1, 2))
    index = np.indices((len(ids), len(queries), len(measures)), dtype=np.uint32).reshape(3, -1)
    names = pl.Series([measures[place] for place in columns], dtype=pl.String)
    return pl.DataFrame(
        {
            "configuration": pl.Series(ids, dtype=pl.String).gather(index[0]),
            "query_id": pl.Series(list(queries), dtype=pl.String).gather(index[1]),
            "measure": names.gather(index[2]),
            "value": pl.Series(by_query.ravel(), nan_to_null=True),
        },
        schema=dict(SWEEP_PER_QUERY.columns),
    )


def results_table(
    configurations: Sequence[Configuration],
    measures: Sequence[str],
    values: Values,
    *,
    declared: Sequence[str],
    grouping: Grouping,
) -> pl.DataFrame:
    """RESULTS: means over the queries where a measure is defined, and ties.

    The values are gone through twice, some configurations at a time: for the means, and for the
    differences to the best of them.

    Args:
        configurations: as the first axis of the values.
        measures: as the second.
        values: of the sweep.
        declared: ids of the declared grid: the best of these is what all are compared with.
        grouping: the groups of the queries.

    Returns:
        configuration, measure, value, delta_to_best (value less the best's), standard_error (of
        that paired difference, by group), tied (delta within one standard error); the best of
        the declared grid is the first by id of those with the best mean.
    """
    if not measures:
        return RESULTS.empty()
    mine = np.isin([c.id for c in configurations], list(declared))
    sums = Sums(values, [direction(name) for name in measures], grouping)
    means = np.concatenate([sums.means(part) for _, part in values.parts(ROWS)])
    best = np.where(mine[:, None], means, -np.inf).argmax(axis=0)
    rivals = [values.some(place, place + 1)[0] for place in best]
    errors = np.concatenate([sums.errors(part, rivals) for _, part in values.parts(ROWS)])
    parts = [
        _of_measure(configurations, name, means[:, n], errors[:, n], means[best[n], n])
        for n, name in enumerate(measures)
    ]
    return RESULTS.check(pl.concat(parts))


def _of_measure(
    configurations: Sequence[Configuration], measure: str, means: Reals, errors: Reals, best: float
) -> pl.DataFrame:
    behind = np.round(best - means, 12)
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
