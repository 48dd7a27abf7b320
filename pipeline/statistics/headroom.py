"""Whether a baseline leaves room: what the best imaginable system could show against it."""

import numpy as np
import polars as pl

from pipeline.statistics.groups import EQUAL, Groups, Numbers, Values, group_numbers
from pipeline.statistics.student import critical

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
        ContractError: a query has no group.
    """
    rows = baseline.select("query_id", "value").drop_nulls("value").sort("query_id")
    numbers = group_numbers(rows["query_id"].to_list(), groups)
    return highest_low_of(ceiling - rows["value"].to_numpy(), numbers, alpha)


def highest_low_of(room: Values, groups: Numbers, alpha: float) -> float | None:
    """The same from what each query leaves to gain, and its group's number.

    Args:
        room: (queries,), at least 0.
        groups: (queries,).
        alpha: one-sided.
    """
    _, numbers = np.unique(groups, return_inverse=True)
    counts = np.bincount(numbers).astype(np.float64)
    if len(counts) < 2:
        return None
    limits = np.linspace(room.min(), room.max(), STEPS)
    gains = np.minimum(room, limits[:, None])[:, np.argsort(numbers, kind="stable")]
    starts = np.cumsum(counts).astype(np.int64) - counts.astype(np.int64)
    sums = np.add.reduceat(gains, starts, axis=1)
    means = np.sum(sums, axis=1) / len(room)
    spread = np.sum((sums - means[:, None] * counts) ** 2, axis=1)
    errors = np.sqrt(spread * len(counts) / (len(counts) - 1)) / len(room)
    lows = means - critical(alpha, len(counts)) * np.where(errors > EQUAL, errors, 0.0)
    return float(lows.max())
