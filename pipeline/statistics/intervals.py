"""The interval of one system's mean."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.statistics.groups import Grouped, Groups, group_numbers, query_weights
from pipeline.statistics.student import t_bounds


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A mean over queries with one-sided 1 − α bounds.

    Args:
        value: the mean; None where no query has a value.
        low: cluster-robust t bound; None below two groups, and where every value is the same.
        high: likewise.
        queries: queries with a value.
        groups: their groups.
    """

    value: float | None
    low: float | None
    high: float | None
    queries: int
    groups: int


def mean_interval(
    values: pl.DataFrame,
    groups: Groups,
    alpha: float = 0.05,
    *,
    weights: Mapping[str, float] | None = None,
) -> MeanInterval:
    """Mean and bounds of one system's values of one measure.

    Args:
        values: query_id, value; nulls (undefined) are left out.
        groups: query id to group id, or query_id, group_id.
        alpha: one-sided.
        weights: query id to its positive weight (traffic); a macro mean where None.

    Raises:
        ContractError: a query has no group, a value is not finite, a weight not positive.
    """
    rows = values.select("query_id", "value").drop_nulls("value").sort("query_id")
    if not rows.height:
        return MeanInterval(None, None, None, 0, 0)
    queries = rows["query_id"].to_list()
    data = Grouped.of(
        rows["value"].to_numpy(), group_numbers(queries, groups), query_weights(queries, weights)
    )
    if data.standard_error == 0.0:
        return MeanInterval(data.mean, None, None, rows.height, data.groups)
    low, high = t_bounds(data.mean, data.standard_error, data.groups, alpha)
    return MeanInterval(data.mean, low, high, rows.height, data.groups)
