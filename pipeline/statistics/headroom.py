"""Whether a baseline leaves room: what the best imaginable system could show against it."""

import numpy as np
import polars as pl

from pipeline.statistics.groups import Grouped, Groups, group_numbers
from pipeline.statistics.student import t_bounds

STEPS = 256


def highest_low(
    baseline: pl.DataFrame, groups: Groups, alpha: float, *, ceiling: float = 1.0
) -> float | None:
    """The highest lower bound that any outcome could reach against this baseline.

    Where it does not exceed the margin, no outcome on these queries can pass: the comparison is
    unresolvable. A perfect system is not always the best one, for a few huge gains widen the
    interval: the best gains each query min(ceiling − value, c) for some c, which is searched.
    That form is exact where groups hold one query each, else close.

    Args:
        baseline: query_id, value; nulls are left out.
        groups: query id to group id, or query_id, group_id.
        alpha: one-sided.
        ceiling: the measure's highest value.

    Returns:
        The t bound, which bootstrap-t can only lower below 60 groups; None below two groups.

    Raises:
        ContractError: a query has no group, a value is not finite.
    """
    rows = baseline.select("query_id", "value").drop_nulls("value").sort("query_id")
    numbers = group_numbers(rows["query_id"].to_list(), groups)
    if len(set(numbers.tolist())) < 2:
        return None
    room = ceiling - rows["value"].to_numpy()
    gains = (
        Grouped.of(np.minimum(room, limit), numbers)
        for limit in np.linspace(room.min(), room.max(), STEPS)
    )
    return max(t_bounds(one.mean, one.standard_error, one.groups, alpha)[0] for one in gains)
