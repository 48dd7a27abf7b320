"""Does fusion still win where every system may fetch equally much?"""

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, not_applicable, not_measured, whole
from pipeline.gates.interval import Interval, verdict, weakest_first
from pipeline.gates.wording import OPEN, SEALED, choose_again, describe, why_unresolved
from pipeline.systems import EQUAL_WORK


def equal_work(findings: Findings) -> Gate | None:
    """The equal-work gate: the selected fusion, its depths cut to D/B, on the primary measure.

    Against each comparator at its own depth D it passes where L > margin, fails where
    U <= margin, else is unresolved.

    Args:
        findings: the study's measurements and limits.

    Returns:
        The worst comparison's verdict; required where `decision.equal_work` is true. None where it
        is neither asked for nor measured.
    """
    required = bool(findings.params.decision.equal_work)
    weights = (findings.selection.get("configuration") or {}).get("weights") or {}
    if len(weights) == 1:
        return not_applicable("equal_work", "the selected configuration has one branch")
    if findings.sealed:
        return not_measured("equal_work", SEALED, required=required, step=OPEN)
    compared = _compared(findings)
    if not compared and not required:
        return None
    if not compared:
        missing = "the selected fusion with its depths cut to those of one branch has no values"
        return not_measured("equal_work", missing, required=required)
    parts = [_part(findings, one) for one in weakest_first(compared)]
    return whole("equal_work", parts, required=required, unit=findings.measure)


def _compared(findings: Findings) -> list[Interval]:
    rows = findings.equal_work.filter(
        (pl.col("kind") == "cut")
        & (pl.col("split") == "test")
        & (pl.col("measure") == findings.measure)
        & (pl.col("system") == EQUAL_WORK)
        & pl.col("baseline").is_in(list(findings.comparators))
    ).sort("baseline")
    return [Interval.of(row, findings.measure) for row in rows.iter_rows(named=True)]


def _part(findings: Findings, one: Interval) -> Part:
    limit = findings.margin
    status = verdict(one, limit)
    why = why_unresolved(one, limit) if status == "unresolved" else f"the limit is {limit + 0.0:g}"
    return Part(
        status=status,
        reason=f"{_OPENINGS[status]} {describe(one, findings.measure)}; {why}",
        evidence=one.evidence(findings.measure),
        observed=one.delta,
        limit=limit,
        next=None if status == "pass" else choose_again(findings, one.baseline),
    )


_OPENINGS: dict[Status, str] = {
    "pass": "fetching no more than one branch, fusion still wins; least surely over",
    "fail": "fetching no more than one branch, fusion does not win over",
    "unresolved": "fetching no more than one branch, it is open whether fusion wins over",
}
