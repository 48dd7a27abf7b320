"""Percentiles from the times record and from recorded runs, of the branches as they are now."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.operations.recorded_latency import RECORDED, Recorded
from pipeline.params import Params
from pipeline.statistics.percentile_intervals import Estimate, percentile_interval
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.systems import SELECTED
from pipeline.tables import LATENCY
from pipeline.times import Timing
from pipeline.times.current import latest_run

PERCENTILES = (50, 90, 95, 99)


def present_timings(
    timings: Iterable[Timing], configuration: str | None, *, branches: Sequence[str]
) -> list[Timing]:
    """The last measurement of every branch and of the selected configuration.

    Args:
        timings: of the branches as they are now (`of_these_branches`), in the record's order.
        configuration: id of the selected configuration.
        branches: the declared ones.
    """
    return [
        one
        for one in latest_run(timings)
        if one.system in branches or (one.system == SELECTED and one.configuration == configuration)
    ]


def latency_table(
    timings: Iterable[Timing], recorded: Sequence[Recorded] = (), *, alpha: float
) -> pl.DataFrame:
    """The percentiles that the calls suffice for.

    Args:
        timings: as `present_timings` gives them.
        recorded: what recorded branches say of themselves.
        alpha: one-sided, of the bounds.

    Returns:
        LATENCY; recorded times without bounds.
    """
    measured = [(one.system, one.component, one.mode, one.callers, one.calls_ms) for one in timings]
    said = [(one.system, one.component, RECORDED, None, one.took_ms) for one in recorded]
    rows = [
        _row(key, share, calls, alpha)
        for *key, calls in [*measured, *said]
        for share in PERCENTILES
        if len(calls) >= calls_needed(share)
    ]
    return LATENCY.check(pl.DataFrame(rows, schema=dict(LATENCY.columns)))


def missing_times(
    table: pl.DataFrame, timings: Sequence[Timing], selection: Mapping[str, Any], params: Params
) -> str | None:
    """Why the selected configuration has no times; None where it has.

    Args:
        table: LATENCY.
        timings: the whole record.
        selection: selection.json.
        params: section candidates.
    """
    if not table.filter((pl.col("system") == SELECTED) & (pl.col("mode") != RECORDED)).is_empty():
        return None
    chosen = selection.get("configuration")
    if chosen is None:
        return "no configuration is selected"
    recorded = sorted(b for b in chosen["weights"] if params.candidates[b].kind == "recorded")
    if recorded:
        return f"{', '.join(recorded)}: a recorded branch cannot be timed on this machine"
    if timings:
        return "the recorded times are of other branches, documents or another configuration"
    return "no times are recorded"


def _row(key: Sequence[Any], share: int, calls: Sequence[float], alpha: float) -> dict[str, Any]:
    system, component, mode, callers = key
    estimate = (
        Estimate(percentile(calls, share), None, None)
        if mode == RECORDED
        else percentile_interval(calls, share, alpha, together=callers)
    )
    return {
        "system": system,
        "component": component,
        "mode": mode,
        "callers": callers,
        "percentile": share,
        "milliseconds": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "calls": len(calls),
    }
