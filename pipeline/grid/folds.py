"""The weightings of query groups that selection looks at: all of dev, and all but each fold."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.grid.differences import Grouping, Reals


@dataclass(frozen=True, slots=True)
class Folds:
    """The groups of dev and the folds they lie in.

    A group that recorded sides have put into two folds counts as one unit in each.

    Args:
        grouping: the groups of the queries.
        units: (group, fold) of each group of the grouping; no fold without crossfit.
        held_out: folds, rising; empty without crossfit.
        weightings: (1 + folds, groups), how often each group counts: once each; then, per fold,
            once unless it is held out.
    """

    grouping: Grouping
    units: tuple[tuple[str, int | None], ...]
    held_out: tuple[int, ...]
    weightings: Reals


def fold_groups(splits: pl.DataFrame, queries: list[str]) -> Folds:
    """Groups and folds of some queries.

    Args:
        splits: SPLITS.
        queries: query ids, in the order of the values to be grouped.
    """
    asked = pl.DataFrame({"query_id": queries}, schema={"query_id": pl.String})
    sides = asked.join(
        splits.select("query_id", "group_id", "fold", "split"),
        on="query_id",
        how="left",
        maintain_order="left",
    ).with_columns(fold=pl.when(pl.col("split") == "crossfit").then("fold"))
    units = sides.select("group_id", "fold").unique().sort("group_id", "fold")
    numbered = units.with_row_index("unit")
    numbers = sides.join(
        numbered, on=["group_id", "fold"], how="left", nulls_equal=True, maintain_order="left"
    )
    held_out = tuple(units["fold"].drop_nulls().unique().sort())
    fold = units["fold"].fill_null(-1).to_numpy()
    rows = [np.ones(len(units)), *(np.where(fold == out, 0.0, 1.0) for out in held_out)]
    grouping = Grouping.of(numbers["unit"].to_numpy().astype(np.int64))
    return Folds(grouping, tuple(units.iter_rows()), held_out, np.stack(rows))
