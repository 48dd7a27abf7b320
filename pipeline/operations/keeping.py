"""What a fault leaves of the primary measure and of the answers, with bounds by query group."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import Kept, group_numbers, kept_above, named_generator, share_interval


def kept_columns(
    floor: float | None, now: pl.DataFrame, before: pl.DataFrame, part: Part, params: Params
) -> Mapping[str, object]:
    """The columns of FAULTS that hold what is kept against a floor; null where there is none.

    Args:
        floor: the share to keep.
        now: query_id, value of the primary measure, under the fault.
        before: likewise, without a fault.
        part: query groups and level.
        params: seed, resamples.
    """
    kept = NOT_ASKED if floor is None else _kept(floor, now, before, part, params)
    return {
        "floor": floor,
        "above": kept.above,
        "above_low": kept.low,
        "above_high": kept.high,
        "counted_low": kept.counted_low,
        "groups": kept.groups,
        "moved_groups": kept.moved_groups,
    }


NOT_ASKED = Kept(None, None, None, None, 0, 0)


def emptied_columns(now: pl.DataFrame, before: pl.DataFrame, part: Part) -> Mapping[str, object]:
    """The columns of FAULTS that count answers lost to a fault.

    Args:
        now: the queries answered under the fault.
        before: those answered without it.
        part: its queries, all of them counted.
    """
    queries = sorted(part.queries["query_id"])
    gone = set(before["query_id"]) - set(now["query_id"])
    lost = np.array([query in gone for query in queries], dtype=np.float64)
    share = share_interval(lost, group_numbers(queries, part.groups), part.alpha)
    return {"emptied": int(lost.sum()), "emptied_low": share.low, "emptied_high": share.high}


def _kept(
    floor: float, now: pl.DataFrame, before: pl.DataFrame, part: Part, params: Params
) -> Kept:
    measure = params.selection.measure
    both = now.join(before, on="query_id", suffix="_before").drop_nulls().sort("query_id")
    left, whole = both["value"].to_numpy(), both["value_before"].to_numpy()
    if not parse_measure(measure).higher_is_better:
        left, whole = 1.0 - left, 1.0 - whole
    return kept_above(
        left,
        whole,
        group_numbers(both["query_id"].to_list(), part.groups),
        floor,
        alpha=part.alpha,
        resamples=params.evaluation.resamples,
        # The same draws for every fault: they are compared with each other.
        generator=named_generator(params.seed, "kept", part.split, measure),
    )
