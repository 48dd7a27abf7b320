"""Is the selected configuration fast enough?"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, not_measured, whole
from pipeline.params import LatencyLimit, TimeLimit
from pipeline.statistics.percentiles import calls_needed
from pipeline.systems import SELECTED
from pipeline.times.components import END_TO_END, RETRIEVAL

RECORDED = "recorded"

_MEASURE = "Measure on this machine: `rankgate time`, then `dvc repro`."
_MORE = "Measure more calls: `rankgate time --calls 5000`, then `dvc repro`."
_MORE_COLD = "Measure more first calls: `rankgate time --cold 100`, then `dvc repro`."
_SMALLER = "Declare smaller depths or fewer branches in params.yaml and run `dvc repro`."
_NO_ENGINE = (
    "Set decision.latency to null in params.yaml: what a recorded branch takes is known to the "
    "service that answered."
)


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
        yield _held(times, said, limit.percentile, limit.milliseconds, "milliseconds", "ms")
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
            known.append(_held(rows, said, percentile, limit, "ratio", f"times {branch}'s"))
    # The worst first: of several with one status it gives the reason.
    yield from sorted(known, key=lambda part: -(part.observed or 0.0))


def _held(
    rows: pl.DataFrame, said: str, percentile: int, limit: float, column: str, unit: str
) -> Part:
    """One percentile held against its limit."""
    calls = max(rows["calls"].to_list(), default=0)
    found = rows.filter(pl.col("percentile") == percentile).to_dicts()
    evidence: dict[str, Any] = {"said": said, "unit": unit, "limit": limit, "calls": calls}
    more = _MORE_COLD if said.startswith("cold") else _MORE
    if not found:
        reason = f"{said} needs {calls_needed(percentile)} calls of each system, {calls} are there"
        return Part("unresolved", f"{reason}; the limit is {limit:g}", evidence, next=more)
    value, low, high = (found[0][name] for name in (column, "low", "high"))
    status = _status(low, high, limit)
    reason = f"{said} is {value:.4g} {unit}{_between(low, high)}; the limit is {limit:g}"
    return Part(
        status=status,
        reason=reason + (", too near to tell" if status == "unresolved" else ""),
        evidence={**evidence, "observed": value, "low": low, "high": high},
        observed=value,
        limit=limit,
        next={"fail": _SMALLER, "unresolved": more}.get(status),
    )


def _status(low: float | None, high: float | None, limit: float) -> Status:
    if high is not None and high <= limit + ROUNDING:
        return "pass"
    return "fail" if low is not None and low > limit + ROUNDING else "unresolved"


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f" ({low:.4g} to {high:.4g})"


def _without_times(findings: Findings, limit: LatencyLimit) -> Gate:
    """Recorded branches can still break a limit: a fusion waits for its slowest one at least."""
    reason = str(findings.operations_summary.get("latency_missing") or "no times are recorded")
    timed = not _times(findings, "warm", None).is_empty()
    if timed or not _recorded(findings):
        if timed:
            reason = f"no calls of {limit.callers} callers are recorded"
        return not_measured("latency", reason, required=True, step=_MEASURE)
    waited = [
        part
        for part in _recorded_parts(findings, limit)
        if part.status == "fail"  # only then is what fusion adds of no matter
    ]
    if waited:
        return whole("latency", waited, required=True, unit="ms or ratio")
    return not_measured("latency", reason, required=True, step=_NO_ENGINE)


def _recorded_parts(findings: Findings, limit: LatencyLimit) -> Iterator[Part]:
    said = f"p{limit.percentile} of the slowest recorded branch"
    rows = findings.latency.filter(
        (pl.col("system") == SELECTED) & (pl.col("component") == RETRIEVAL)
    )
    if limit.milliseconds is not None and rows.height:
        yield _held(rows, said, limit.percentile, limit.milliseconds, "milliseconds", "ms")
    if limit.ratio is not None:
        for baseline in findings.comparators:
            branch = findings.branch_behind(baseline)
            ratios = _ratios(findings, branch, RECORDED, None)
            if ratios.height:
                unit = f"times {branch}'s"
                yield _held(ratios, said, limit.percentile, limit.ratio, "ratio", unit)


def _no_ratio(findings: Findings, branch: str) -> str:
    if findings.params.candidates[branch].kind == RECORDED:
        return (
            f"{branch} is recorded: its milliseconds are its own service's, the selected "
            "configuration's were measured here, and the two make no ratio"
        )
    return f"{branch} was not timed together with the selected configuration"


def _recorded(findings: Findings) -> bool:
    chosen = (findings.selection.get("configuration") or {}).get("weights", {})
    return any(findings.params.candidates[name].kind == RECORDED for name in chosen)


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
