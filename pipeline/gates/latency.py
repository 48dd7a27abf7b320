"""Is the selected configuration fast enough?"""

from collections.abc import Iterator

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, not_measured, whole
from pipeline.params import LatencyLimit
from pipeline.statistics.percentiles import calls_needed
from pipeline.systems import SELECTED

_MEASURE = "Measure on this machine: `rankgate time`, then `dvc repro`."
_NO_ENGINE = (
    "Set decision.latency to null in params.yaml: what a recorded branch takes is known to the "
    "service that answered."
)


def latency(findings: Findings) -> Gate | None:
    """The latency gate: a percentile of the warm end-to-end time, absolute or as a ratio.

    Args:
        findings: the study's measurements; LATENCY comes from the times record.

    Returns:
        pass where every declared limit is kept; unresolved where the calls are too few for the
        percentile; not_measured without times of these branches. None where it was neither
        asked for nor measured.
    """
    limit = findings.params.decision.latency
    if limit is None:
        return _unasked(findings)
    if _calls(findings, SELECTED) == 0:
        missing = str(findings.operations_summary.get("latency_missing") or "no times are recorded")
        step = _NO_ENGINE if _recorded(findings) else _MEASURE
        return not_measured("latency", missing, required=True, step=step)
    return whole("latency", list(_parts(findings, limit)), required=True, unit="ms or ratio")


def _parts(findings: Findings, limit: LatencyLimit) -> Iterator[Part]:
    if limit.milliseconds is not None:
        time = _time(findings, SELECTED, limit.percentile)
        yield _part(findings, limit.percentile, time, limit.milliseconds, "ms")
    if limit.ratio is not None:
        ratios = [_ratio(findings, name, limit.percentile) for name in findings.comparators]
        known = [ratio for ratio in ratios if ratio is not None]
        ratio = max(known) if len(known) == len(ratios) else None
        yield _part(findings, limit.percentile, ratio, limit.ratio, "times the comparator's")


def _part(
    findings: Findings, percentile: int, observed: float | None, limit: float, unit: str
) -> Part:
    status: Status = "unresolved"
    said = f"p{percentile} needs {calls_needed(percentile)} calls of each system"
    if observed is not None:
        status = "pass" if observed <= limit + ROUNDING else "fail"
        said = f"p{percentile} is {observed:.4g} {unit}"
    return Part(
        status=status,
        reason=f"{said}; the limit is {limit:g}",
        evidence={
            "percentile": percentile,
            "mode": "warm",
            "unit": unit,
            "observed": observed,
            "limit": limit,
            "calls": _calls(findings, SELECTED),
        },
        observed=observed,
        limit=limit,
        next=_STEPS.get(status),
    )


_STEPS: dict[Status, str] = {
    "fail": "Declare smaller depths or fewer branches in params.yaml and run `dvc repro`.",
    "unresolved": "Measure more calls: `rankgate time`, then `dvc repro`.",
}


def _recorded(findings: Findings) -> bool:
    chosen = (findings.selection.get("configuration") or {}).get("weights", {})
    return any(findings.params.candidates[name].kind == "recorded" for name in chosen)


def _unasked(findings: Findings) -> Gate | None:
    time = _time(findings, SELECTED, 95)
    if time is None:
        return None
    return Gate(
        "latency",
        required=False,
        status="not_applicable",
        reason="no limit is declared",
        observed=time,
        unit="ms (p95, warm)",
    )


def _ratio(findings: Findings, baseline: str, percentile: int) -> float | None:
    ours = _time(findings, SELECTED, percentile)
    theirs = _time(findings, findings.branch_behind(baseline), percentile)
    return ours / theirs if ours is not None and theirs else None


def _warm(findings: Findings, system: str) -> pl.DataFrame:
    return findings.latency.filter((pl.col("system") == system) & (pl.col("mode") == "warm"))


def _time(findings: Findings, system: str, percentile: int) -> float | None:
    rows = _warm(findings, system).filter(pl.col("percentile") == percentile)
    return None if rows.is_empty() else float(rows["milliseconds"][0])


def _calls(findings: Findings, system: str) -> int:
    rows = _warm(findings, system)
    return 0 if rows.is_empty() else int(rows["calls"][0])
