"""What depth buys and what it costs: the selected fusion with its branches at other depths."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.choices import final_choice
from pipeline.fusion import Configuration
from pipeline.operations.cost import candidates_asked
from pipeline.operations.served import Served
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics.percentile_intervals import percentile_interval
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.systems import rank_system
from pipeline.tables import DEPTHS
from pipeline.times import END_TO_END, Timing
from pipeline.times.depths import at_depth, depth_name, tried_depths

_UNTIMED = {"calls": None, "p50": None, "p95": None, "p95_low": None, "p95_high": None}


def depths_table(served: Served, timings: Sequence[Timing]) -> pl.DataFrame:
    """Quality on dev, candidates and time at each depth that is tried.

    Nothing is retrieved again: a shorter request returns the beginning of the longer one.

    Args:
        served: what is served; its dev side measures.
        timings: the whole record, of these branches; the cut systems are found by configuration.

    Returns:
        DEPTHS: the primary measure, and recall at the output depth; `delta` is to the greatest
        depth. Times are null where they were not measured or the calls are too few.
    """
    chosen, part, params = final_choice(served.selection).selected, served.parts[0], served.params
    if chosen is None:
        return DEPTHS.empty()
    measures = dict.fromkeys([params.selection.measure, f"R@{params.fusion.output_depth}"])
    asked = served.candidates.join(part.queries, on="query_id", how="semi")
    cuts = {depth: at_depth(chosen, depth, params) for depth in tried_depths(params)}
    values = {
        depth: _means(part, asked, one, list(measures), params) for depth, one in cuts.items()
    }
    deepest = values[max(values)]
    rows = [
        {
            "depth": depth,
            "split": part.split,
            "measure": measure,
            "value": value,
            "delta": None if value is None or (top := deepest[measure]) is None else value - top,
            "candidates": candidates_asked(asked, one).height / max(1, part.queries.height),
            **_timed(timings, depth, one, params.evaluation.alpha),
        }
        for depth, one in cuts.items()
        for measure, value in values[depth].items()
    ]
    return DEPTHS.check(pl.DataFrame(rows, schema=dict(DEPTHS.columns)))


def _means(
    part: Part,
    candidates: pl.DataFrame,
    configuration: Configuration,
    measures: Sequence[str],
    params: Params,
) -> dict[str, float | None]:
    if not part.ranked:
        return dict.fromkeys(measures)
    run = rank_system(configuration, candidates, params.fusion)
    values = part.values_of(run, measures, rel=params.collection.rel)
    # Sorted first: a sum of floats taken in another order is another sum.
    means = dict(
        values.sort("query_id", "measure")
        .group_by("measure", maintain_order=True)
        .agg(pl.col("value").mean())
        .rows()
    )
    return {measure: means.get(measure) for measure in measures}


def _timed(
    timings: Sequence[Timing], depth: int, configuration: Configuration, alpha: float
) -> Mapping[str, Any]:
    known = [
        one.calls_ms
        for one in timings
        if (one.system, one.configuration) == (depth_name(depth), configuration.id)
        and (one.component, one.mode, one.callers) == (END_TO_END, "warm", 1)
    ]
    if not known:
        return _UNTIMED
    calls = known[-1]
    found: dict[str, Any] = {**_UNTIMED, "calls": len(calls)}
    if len(calls) >= calls_needed(50):
        found["p50"] = percentile(calls, 50)
    if len(calls) >= calls_needed(95):
        estimate = percentile_interval(calls, 95, alpha)
        found |= {"p95": estimate.value, "p95_low": estimate.low, "p95_high": estimate.high}
    return found
