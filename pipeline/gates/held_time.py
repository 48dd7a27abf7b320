"""One percentile of measured times, held against its limit."""

from typing import Any

import polars as pl

from pipeline.gates.gate import ROUNDING, Part, Status
from pipeline.statistics.percentiles import calls_needed

# Calls that wait for each other are worth fewer, sometimes too few for a bound.
_DEPENDENT = "calls that depend on each other"
_SMALLER = "Declare smaller depths or fewer branches in params.yaml and run `dvc repro`."


def held(
    rows: pl.DataFrame,
    said: str,
    percentile: int,
    limit: float,
    *,
    column: str = "milliseconds",
    unit: str = "ms",
    more: str,
    calls_said: str = _DEPENDENT,
) -> Part:
    """pass, fail or unresolved, in one sentence.

    Args:
        rows: LATENCY or LATENCY_RATIOS of one system, mode and number of callers.
        said: what is held, such as `warm p95`.
        percentile: which.
        limit: the greatest value that passes.
        column: where the value stands.
        unit: what it is counted in.
        more: the step to more calls.
        calls_said: which calls they are that give no bound, where there is none.
    """
    calls = max(rows["calls"].to_list(), default=0)
    found = rows.filter(pl.col("percentile") == percentile).to_dicts()
    evidence: dict[str, Any] = {"said": said, "unit": unit, "limit": limit, "calls": calls}
    if not found:
        reason = f"{said} needs {calls_needed(percentile)} calls of each system, {calls} are there"
        return Part("unresolved", f"{reason}; the limit is {limit:g}", evidence, next=more)
    value, low, high = (found[0][name] for name in (column, "low", "high"))
    status = _status(low, high, limit)
    reason = f"{said} is {value:.4g} {unit}{_between(low, high)}; the limit is {limit:g}"
    if status == "unresolved":
        reason += _why(low, high, f"{calls} {calls_said}")
    return Part(
        status=status,
        reason=reason,
        evidence={**evidence, "observed": value, "low": low, "high": high},
        observed=value,
        limit=limit,
        next={"fail": _SMALLER, "unresolved": more}.get(status),
    )


def _status(low: float | None, high: float | None, limit: float) -> Status:
    if high is not None and high <= limit + ROUNDING:
        return "pass"
    return "fail" if low is not None and low > limit + ROUNDING else "unresolved"


def _why(low: float | None, high: float | None, calls: str) -> str:
    if low is not None and high is not None:
        return ", too near to tell"
    ends = {(True, True): "bound", (False, True): "upper bound", (True, False): "lower bound"}
    return f"; {calls} give no {ends[low is None, high is None]}"


def _between(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return ""
    return f" ({low:.4g} to {high:.4g})"
