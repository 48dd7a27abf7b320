"""The interval of one system's mean."""

from dataclasses import dataclass

import polars as pl

from pipeline.statistics.groups import Grouped, Groups, group_numbers
from pipeline.statistics.student import t_bounds


@dataclass(frozen=True, slots=True)
class MeanInterval:
    """A macro mean over queries with one-sided 1 − α bounds.

    Args:
        value: the mean; None where no query has a value.
        low: cluster-robust t bound; None below two groups.
        high: likewise.
        queries: queries with a value.
        groups: their groups.
    """

    value: float | None
    low: float | None
    high: float | None
    queries: int
    groups: int


def mean_interval(values: pl.DataFrame, groups: Groups, alpha: float = 0.05) -> MeanInterval:
    """Mean and bounds of one system's values of one measure.

    Args:
        values: query_id, value; nulls (undefined) are left out.
        groups: query id to group id, or query_id, group_id.
        alpha: one-sided.

    Raises:
        ContractError: a query has no group.
    """
    rows = values.select("query_id", "value").drop_nulls("value").sort("query_id")
    if not rows.height:
        return MeanInterval(None, None, None, 0, 0)
    numbers = group_numbers(rows["query_id"].to_list(), groups)
    data = Grouped.of(rows["value"].to_numpy(), numbers)
    if data.size < 2:
        return MeanInterval(data.mean, None, None, rows.height, data.size)
    low, high = t_bounds(data.mean, data.standard_error, data.size, alpha)
    return MeanInterval(data.mean, low, high, rows.height, data.size)
