"""What can be said of a test before it is opened: nothing that its labels decide."""

import math

import polars as pl

from pipeline.evaluation.figures import Evaluated, Figures
from pipeline.params import Params
from pipeline.parts import TEST, side_of
from pipeline.statistics import smallest_detectable


def test_outlook(
    dev: Evaluated, splits: pl.DataFrame, pool: pl.DataFrame, *, alpha: float, params: Params
) -> Figures:
    """The test's extent, how much of its pool was graded, and what it could show.

    Args:
        dev: the dev part, whose spread of differences is taken for the test's.
        splits: SPLITS.
        pool: POOL.
        alpha: the level that the next opening would have.
        params: the primary measure.

    Returns:
        `queries, groups`; `judged_share` of the pooled pairs, null without any; `detectable`: the
        smallest gain beyond the margin seen with 80 % power, for the branch or run where it is
        largest; null where dev shows no spread.
    """
    side = side_of(TEST, splits)
    pairs = pool.join(side, on="query_id", how="semi")
    judged = pairs.filter(pl.col("status") == "judged").height
    groups = side["group_id"].n_unique()
    return {
        "queries": side.height,
        "groups": groups,
        "judged_share": judged / pairs.height if pairs.height else None,
        "detectable": _detectable(dev, groups, alpha, params),
    }


test_outlook.__test__ = False  # type: ignore[attr-defined]  # pytest takes the name for a test


def _detectable(dev: Evaluated, groups: int, alpha: float, params: Params) -> float | None:
    rows = dev.comparisons.filter(
        (pl.col("measure") == params.selection.measure)
        & (pl.col("slice") == "")
        & pl.col("baseline").is_in(sorted(dev.must_beat))
    )
    expected = [
        smallest_detectable(_error(row, dev.part.alpha) * scale, groups, alpha)
        for row in rows.drop_nulls("detectable").iter_rows(named=True)
        for scale in [math.sqrt(row["groups"] / groups) if groups else 0.0]
    ]
    return max((effect for effect in expected if effect is not None), default=None)


def _error(row: dict[str, float], alpha: float) -> float:
    """The standard error behind a detectable effect, which is a multiple of it."""
    per_error = smallest_detectable(1.0, int(row["groups"]), alpha)
    return row["detectable"] / per_error if per_error else 0.0
