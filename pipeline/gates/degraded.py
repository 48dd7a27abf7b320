"""Is the answer still good enough when a branch is out?"""

from typing import Any

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, not_measured, whole
from pipeline.gates.wording import OPEN, SEALED
from pipeline.measures import parse_measure
from pipeline.params import DegradedLimit
from pipeline.systems import SELECTED
from pipeline.tables import NO_FAULT


def degraded(findings: Findings) -> Gate | None:
    """The degraded gate: under every fault a declared share of the primary measure is kept.

    Nor may the number of empty answers rise.

    Args:
        findings: the study's measurements; FAULTS holds the measure under each fault.

    Returns:
        The worst fault's verdict; None where it was neither asked for nor measured.
    """
    limit = findings.params.decision.degraded
    if findings.sealed:
        sealed = not_measured("degraded", SEALED, required=True, step=OPEN)
        return sealed if limit is not None else None
    healthy, faults = _measured(findings)
    parts = [] if healthy is None else [_part(row, healthy, limit) for row in faults]
    if limit is None:
        return _unasked(parts)
    if not parts:
        reason = "no fault was tried on judged test queries"
        step = "List dropout under operations.faults in params.yaml and run `dvc repro`."
        return not_measured("degraded", reason, required=True, step=step)
    return whole("degraded", _weakest_first(parts), required=True, unit="share kept")


def _measured(findings: Findings) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """The row without a fault, where it has something to lose, and the rows with one."""
    better = parse_measure(findings.measure).higher_is_better
    worth = pl.col("value") if better else 1 - pl.col("value")
    rows = (
        findings.faults.filter(
            (pl.col("system") == SELECTED)
            & (pl.col("split") == "test")
            & (pl.col("measure") == findings.measure)
        )
        .with_columns(worth=worth.fill_null(0.0))
        .sort("fault")
    )
    healthy = [row for row in rows.iter_rows(named=True) if row["fault"] == NO_FAULT]
    faults = [row for row in rows.iter_rows(named=True) if row["fault"] != NO_FAULT]
    return (healthy[0] if healthy and healthy[0]["worth"] else None), faults


def _part(row: dict[str, Any], healthy: dict[str, Any], limit: DegradedLimit | None) -> Part:
    kept = row["worth"] / healthy["worth"]
    rise = int(row["empties"]) - int(healthy["empties"])
    floor = 0.0 if limit is None else limit.floor
    status: Status = "pass" if kept + ROUNDING >= floor and rise <= 0 else "fail"
    empties = f", {rise} more empty answers" if rise > 0 else ""
    return Part(
        status=status,
        reason=f"{row['fault']}: keeps {kept:.1%}{empties}; the floor is {floor:.1%}",
        evidence={
            "fault": row["fault"],
            "value": row["value"],
            "kept": kept,
            "empties": row["empties"],
            "partials": row["partials"],
        },
        observed=kept,
        limit=floor,
        next=None if status == "pass" else _STEP,
    )


_STEP = "Declare more branches, or weights that lean less on one, and run `dvc repro`."


def _weakest_first(parts: list[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: part.observed or 0.0)


def _unasked(parts: list[Part]) -> Gate | None:
    if not parts:
        return None
    weakest = _weakest_first(parts)[0]
    return Gate(
        "degraded",
        required=False,
        status="not_applicable",
        reason="no floor is declared",
        observed=weakest.observed,
        unit="share kept",
        evidence=tuple(part.evidence for part in parts),
    )
