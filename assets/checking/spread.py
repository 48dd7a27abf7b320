"""How far paired differences scatter from query group to query group, before the test is open."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from assets.artifacts import is_stored, stored
from assets.folder import StudyFolder
from pipeline.params import Params
from pipeline.splits import Splits
from pipeline.statistics.groups import Grouped, group_numbers
from pipeline.systems import PRODUCTION, SELECTED

# Standard deviation of paired differences per query group, where no result tells it: such as a
# strong and a weak retriever have in nDCG; two alike have about a third of it.
ASSUMED = 0.3
FEWEST = 2  # of one difference there is no spread


@dataclass(frozen=True, slots=True)
class Spread:
    """How far paired differences scatter from group to group.

    Args:
        deviation: standard deviation per query group.
        source: where it is known from.
    """

    deviation: float
    source: str


def dev_values(folder: StudyFolder, params: Params) -> Mapping[str, pl.DataFrame]:
    """System to its values on dev, from stored results; empty without any."""
    if not is_stored(folder, "per_query"):
        return {}
    values: pl.DataFrame = stored(folder, "per_query")
    dev = values.filter(
        (pl.col("split") == "dev") & (pl.col("measure") == params.selection.measure)
    )
    named = [SELECTED, PRODUCTION, *params.fused_branches]
    found = {name: dev.filter(pl.col("system") == name).drop_nulls("value") for name in named}
    return {name: rows for name, rows in found.items() if rows.height}


def spread_of(
    values: Mapping[str, pl.DataFrame], splits: Splits, *, within: list[str] | None = None
) -> Spread:
    """The widest spread of the differences to a system that must be beaten.

    Args:
        values: as from `dev_values`.
        splits: the query groups.
        within: only these queries; all of them where None.
    """
    if within is not None:
        inside = pl.col("query_id").is_in(within)
        values = {name: rows.filter(inside) for name, rows in values.items()}
    found = [
        Spread(deviation, f"spread of the stored dev differences to {name}")
        for name in values
        if name != SELECTED and SELECTED in values
        for deviation in [_deviation(values[SELECTED], values[name], splits)]
        if deviation > 0
    ]
    assumed = Spread(ASSUMED, f"assumed: a standard deviation of {ASSUMED:g} per group")
    return max(found, key=lambda one: one.deviation, default=assumed)


def _deviation(ours: pl.DataFrame, theirs: pl.DataFrame, splits: Splits) -> float:
    paired = ours.join(theirs, on="query_id", suffix="_of_baseline").sort("query_id")
    differences = (paired["value"] - paired["value_of_baseline"]).to_numpy()
    known = splits.splits.filter(pl.col("query_id").is_in(paired["query_id"].to_list()))
    if known.height < paired.height or paired.height < FEWEST:
        return 0.0
    grouped = Grouped.of(differences, group_numbers(paired["query_id"].to_list(), known))
    return grouped.standard_error * math.sqrt(grouped.groups)
