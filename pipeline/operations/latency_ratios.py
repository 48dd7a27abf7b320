"""How much longer the selected configuration takes than each branch by itself."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from pipeline.operations.latency import PERCENTILES
from pipeline.operations.recorded_latency import RECORDED, Recorded
from pipeline.statistics.percentile_intervals import Estimate, percentile_ratio, ratio_interval
from pipeline.statistics.percentiles import calls_needed
from pipeline.systems import SELECTED
from pipeline.tables import LATENCY_RATIOS
from pipeline.times import END_TO_END, Timing

Pair = tuple[Sequence[Any], Sequence[float], Sequence[float]]


def latency_ratios(
    timings: Sequence[Timing], recorded: Sequence[Recorded], *, alpha: float, seed: int
) -> pl.DataFrame:
    """Ratios of percentiles; of calls that were measured with paired bootstrap bounds.

    A ratio is between calls that were taken in turns in one run of `rankgate time`, or between
    recorded milliseconds of the same queries; what was measured here and what another service
    said of itself are never put in one.

    Args:
        timings: as `present_timings` gives them.
        recorded: what recorded branches say of themselves.
        alpha: one-sided, of the bounds.
        seed: the study's.

    Returns:
        LATENCY_RATIOS: the selected configuration over each branch.
    """
    rows = [
        row
        for key, ours, theirs in [*_measured_pairs(timings), *_recorded_pairs(recorded)]
        for share in PERCENTILES
        if len(ours) >= calls_needed(share)
        for row in _rows(key, ours, theirs, share, alpha, seed)
    ]
    return LATENCY_RATIOS.check(pl.DataFrame(rows, schema=dict(LATENCY_RATIOS.columns)))


def _measured_pairs(timings: Sequence[Timing]) -> Iterator[Pair]:
    whole = [one for one in timings if one.component == END_TO_END]
    for ours in (one for one in whole if one.system == SELECTED):
        for theirs in whole:
            if theirs.system != SELECTED and _together(ours, theirs):
                key = (theirs.system, END_TO_END, ours.mode, ours.callers)
                yield key, ours.calls_ms, theirs.calls_ms


def _together(ours: Timing, theirs: Timing) -> bool:
    same = (ours.run, ours.mode, ours.callers) == (theirs.run, theirs.mode, theirs.callers)
    return same and len(ours.calls_ms) == len(theirs.calls_ms)


def _recorded_pairs(recorded: Sequence[Recorded]) -> Iterator[Pair]:
    for ours in (one for one in recorded if one.system == SELECTED):
        for theirs in (one for one in recorded if one.system != SELECTED):
            took = dict(zip(theirs.queries, theirs.took_ms, strict=True))
            both = [
                (mine, took[query])
                for query, mine in zip(ours.queries, ours.took_ms, strict=True)
                if query in took
            ]
            key = (theirs.system, ours.component, RECORDED, None)
            yield key, [mine for mine, _ in both], [other for _, other in both]


def _rows(
    key: Sequence[Any],
    ours: Sequence[float],
    theirs: Sequence[float],
    share: int,
    alpha: float,
    seed: int,
) -> Iterator[dict[str, Any]]:
    baseline, component, mode, callers = key
    if mode == RECORDED:
        value = percentile_ratio(ours, theirs, share)
        estimate = None if value is None else Estimate(value, None, None)
    else:
        names = [baseline, mode, str(callers), str(share)]
        estimate = ratio_interval(
            ours, theirs, share, alpha, seed=seed, names=names, together=callers
        )
    if estimate is not None:
        yield {
            "system": SELECTED,
            "baseline": baseline,
            "component": component,
            "mode": mode,
            "callers": callers,
            "percentile": share,
            "ratio": estimate.value,
            "low": estimate.low,
            "high": estimate.high,
            "calls": len(ours),
        }
