"""Is the selected configuration fast enough?"""

from collections.abc import Iterator

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, not_measured, whole
from pipeline.gates.held_time import held
from pipeline.gates.recorded_time import RECORDED, recorded_branches, recorded_gate
from pipeline.params import LatencyLimit, TimeLimit
from pipeline.systems import SELECTED
from pipeline.times.components import END_TO_END

_MEASURE = "Measure on this machine: `rankgate time`, then `dvc repro`."
_MORE = "Measure more calls: `rankgate time --calls 5000`, then `dvc repro`."
_MORE_LOADED = "Measure more calls: `rankgate time --loaded 5000`, then `dvc repro`."
_MORE_COLD = "Measure more first calls: `rankgate time --cold 100`, then `dvc repro`."


def latency(findings: Findings) -> Gate | None:
    """The latency gate: percentiles of the end-to-end time, absolute or as a ratio, warm and cold.

    Args:
        findings: the study's measurements; LATENCY and LATENCY_RATIOS come from the times record
            and from recorded runs.

    Returns:
        pass where the upper bound of every limited percentile is within its limit; fail where a
        lower bound is beyond; unresolved between, and where the calls are too few; not_measured
        without times of these branches. None where it was neither asked for nor measured.
    """
    limit = findings.params.decision.latency
    if limit is None:
        return _unasked(findings)
    if _times(findings, "warm", limit.callers).is_empty():
        return _without_times(findings, limit)
    parts = [*_parts(findings, limit, "warm", limit.callers)]
    if limit.cold is not None:
        parts += _parts(findings, limit.cold, "cold", 1)
    return whole("latency", parts, required=True, unit="ms or ratio")


def _parts(findings: Findings, limit: TimeLimit, mode: str, callers: int) -> Iterator[Part]:
    times = _times(findings, mode, callers)
    if times.is_empty():
        reason = "no first calls in fresh processes are recorded"
        yield Part("not_measured", reason, {"mode": mode}, next=_MEASURE)
        return
    said = f"{mode} p{limit.percentile}" + (f" of {callers} callers" if callers > 1 else "")
    if limit.milliseconds is not None:
        more = _more(mode, callers)
        yield held(times, said, limit.percentile, limit.milliseconds, more=more)
    if limit.ratio is not None:
        yield from _ratio_parts(findings, limit.ratio, limit.percentile, said, (mode, callers))


def _ratio_parts(
    findings: Findings, limit: float, percentile: int, said: str, how: tuple[str, int]
) -> Iterator[Part]:
    known = []
    for baseline in findings.comparators:
        branch = findings.branch_behind(baseline)
        rows = _ratios(findings, branch, *how)
        if rows.is_empty():
            reason = _no_ratio(findings, branch)
            yield Part("not_measured", reason, {"baseline": branch, "mode": how[0]}, next=_MEASURE)
        else:
            unit, more = f"times {branch}'s", _more(*how)
            known.append(held(rows, said, percentile, limit, column="ratio", unit=unit, more=more))
    # The worst first: of several with one status it gives the reason.
    yield from sorted(known, key=lambda part: -(part.observed or 0.0))


def _more(mode: str, callers: int) -> str:
    if mode == "cold":
        return _MORE_COLD
    return _MORE if callers == 1 else _MORE_LOADED


def _without_times(findings: Findings, limit: LatencyLimit) -> Gate:
    if not _times(findings, "warm", None).is_empty():
        reason = f"no calls of {limit.callers} callers are recorded"
        return not_measured("latency", reason, required=True, step=_MEASURE)
    if recorded_branches(findings):
        return recorded_gate(findings, limit)
    reason = str(findings.operations_summary.get("latency_missing") or "no times are recorded")
    return not_measured("latency", reason, required=True, step=_MEASURE)


def _no_ratio(findings: Findings, branch: str) -> str:
    if findings.params.candidates[branch].kind == RECORDED:
        return (
            f"{branch} is recorded: its milliseconds are its own service's, the selected "
            "configuration's were measured here, and the two make no ratio"
        )
    return f"{branch} was not timed together with the selected configuration"


def _unasked(findings: Findings) -> Gate | None:
    rows = _times(findings, "warm", 1).filter(pl.col("percentile") == 95)
    if rows.is_empty():
        return None
    return Gate(
        "latency",
        required=False,
        status="not_applicable",
        reason="no limit is declared",
        observed=float(rows["milliseconds"][0]),
        unit="ms (p95, warm)",
    )


def _times(findings: Findings, mode: str, callers: int | None) -> pl.DataFrame:
    """The selected configuration, end to end; of any number of callers where none is named."""
    rows = findings.latency.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("component") == END_TO_END)
        & (pl.col("mode") == mode)
    )
    return rows if callers is None else rows.filter(pl.col("callers") == callers)


def _ratios(findings: Findings, branch: str, mode: str, callers: int | None) -> pl.DataFrame:
    return findings.latency_ratios.filter(
        (pl.col("baseline") == branch)
        & (pl.col("mode") == mode)
        & pl.col("callers").eq_missing(pl.lit(callers, pl.Int64))
    )
