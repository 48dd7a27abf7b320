"""Whether the sweep, which measures by another road, gave the frozen point the same values."""

import polars as pl

from pipeline.pieces import Frames, matching


def sweep_gap(
    per_query: pl.DataFrame, sweep_per_query: Frames, configuration: str, *, system: str
) -> float | None:
    """The largest difference of one query's value between evaluation and sweep.

    Args:
        per_query: PER_QUERY of dev.
        sweep_per_query: SWEEP_PER_QUERY, whole or in pieces.
        configuration: the frozen configuration's id.
        system: its name in PER_QUERY.

    Returns:
        The gap, 0 up to rounding where all is well; None where the configuration is no point of
        the grid or nothing was measured by both.
    """
    ours = per_query.filter(pl.col("system") == system)
    theirs = matching(sweep_per_query, pl.col("configuration") == configuration)
    both = ours.join(theirs, on=["query_id", "measure"], suffix="_in_sweep").drop_nulls(
        ["value", "value_in_sweep"]
    )
    if both.is_empty():
        return None
    gaps = both.select((pl.col("value") - pl.col("value_in_sweep")).abs())
    return float(gaps.to_series().to_numpy().max())
