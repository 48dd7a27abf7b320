"""What recorded branches say of the time of their fusion: how long it waits at the least."""

from collections.abc import Iterator, Mapping

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, not_measured, whole
from pipeline.gates.held_time import held
from pipeline.params import LatencyLimit
from pipeline.systems import SELECTED
from pipeline.times.components import END_TO_END, RETRIEVAL

RECORDED = "recorded"

_SETTLE = (
    "Time the fusion where it is served, and set decision.latency to null here; or declare "
    "branches of kind bm25 or dense, which `rankgate time` can call."
)
_UNORDERED = "recorded calls, whose order nobody wrote down,"
_RECORD = "Record the runs again with took_ms on every line, then run `dvc repro`."


def recorded_branches(findings: Findings) -> list[str]:
    """The recorded branches of the selected configuration, sorted."""
    chosen = _chosen(findings)
    return sorted(n for n in chosen if findings.params.candidates[n].kind == RECORDED)


def _chosen(findings: Findings) -> Mapping[str, float]:
    weights: Mapping[str, float] = (findings.selection.get("configuration") or {}).get(
        "weights", {}
    )
    return weights


def recorded_gate(findings: Findings, limit: LatencyLimit) -> Gate:
    """The gate for a fusion of recorded branches, which nobody timed as a whole.

    Branches are asked at the same time, so a fusion takes at least as long as its slowest one.
    Recorded times have no bounds, so the gate is unresolved where that lies beyond a limit. That
    it keeps one cannot be told, whatever the branches took, for what fusing and fetching add was
    not measured.

    Args:
        findings: the study's measurements.
        limit: decision.latency.
    """
    parts = list(_parts(findings, limit))
    beyond = [part for part in parts if _beyond(part)]
    if beyond:
        return whole("latency", beyond, required=True, unit="ms or ratio")
    mixed = _mixed(findings)
    if mixed:
        return not_measured("latency", mixed, required=True, step=_SETTLE)
    missing = _unsaid(findings)
    if missing:
        reason = (
            f"the recorded {_runs(missing)} no milliseconds (took_ms), and a recorded branch "
            "cannot be timed here"
        )
        return not_measured("latency", reason, required=True, step=_RECORD)
    waits = "; ".join(part.reason for part in parts) or "no query has the time of every branch"
    reason = (
        f"{waits}: that is how long the fusion waits at the least; what fusing and fetching add "
        "was measured by nobody"
    )
    return not_measured("latency", reason, required=True, step=_SETTLE)


def _beyond(part: Part) -> bool:
    if part.observed is None or part.limit is None:
        return False
    return part.observed > part.limit + ROUNDING


def _parts(findings: Findings, limit: LatencyLimit) -> Iterator[Part]:
    said = f"p{limit.percentile} of the slowest recorded branch"
    rows = findings.latency.filter(
        (pl.col("system") == SELECTED) & (pl.col("component") == RETRIEVAL)
    )
    if limit.milliseconds is not None and rows.height:
        yield held(
            rows,
            said,
            limit.percentile,
            limit.milliseconds,
            more=_SETTLE,
            calls_said=_UNORDERED,
        )
    if limit.ratio is None:
        return
    for baseline in findings.comparators:
        branch = findings.branch_behind(baseline)
        ratios = findings.latency_ratios.filter(
            (pl.col("baseline") == branch) & (pl.col("mode") == RECORDED)
        )
        if ratios.height:
            yield held(
                ratios,
                said,
                limit.percentile,
                limit.ratio,
                column="ratio",
                unit=f"times {branch}'s",
                more=_SETTLE,
                calls_said=_UNORDERED,
            )


def _mixed(findings: Findings) -> str | None:
    recorded = recorded_branches(findings)
    here = sorted(set(_chosen(findings)) - set(recorded))
    if not here:
        return None
    return (
        f"{', '.join(recorded)} {_is(recorded)} recorded and {', '.join(here)} "
        f"{'runs' if len(here) == 1 else 'run'} here: milliseconds of two services make no time "
        "of their fusion"
    )


def _unsaid(findings: Findings) -> list[str]:
    """The selected recorded branches whose runs say no time at all."""
    rows = findings.latency.filter(
        (pl.col("mode") == RECORDED) & (pl.col("component") == END_TO_END)
    )
    return [name for name in recorded_branches(findings) if name not in set(rows["system"])]


def _runs(names: list[str]) -> str:
    said = ", ".join(names)
    return f"run {said} says" if len(names) == 1 else f"runs {said} say"


def _is(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"
