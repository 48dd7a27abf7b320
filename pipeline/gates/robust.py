"""Would the primary verdict stand whatever the unjudged evidence turned out to be?"""

import math
from dataclasses import replace

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, not_applicable, not_measured, whole
from pipeline.gates.unjudged import best_high, critical_step, how_bounded, joining, worst_low
from pipeline.gates.wording import OPEN, SEALED, judge_test


def robust(findings: Findings) -> Gate:
    """The robust gate: the difference whatever grades the unjudged evidence has.

    Against each rival it passes where the least L over these grades is above the margin, fails
    where the greatest U is not, else is unresolved. The t interval is bounded over every
    assignment, also those that bring further queries into the mean; bootstrap-t, which also decides
    below 60 groups, is tried on a few.

    Args:
        findings: the study's measurements and limits.

    Returns:
        The worst comparison's verdict; required where `decision.robust` is true.
    """
    required = bool(findings.params.decision.robust)
    regime = findings.params.collection.regime
    if regime != "pooled":
        return not_applicable("robust", f"regime {regime}: unjudged evidence leaves nothing open")
    if findings.sealed:
        return not_measured("robust", SEALED, required=required, step=OPEN)
    parts = [_part(findings, baseline) for baseline in findings.rivals]
    parts.sort(key=lambda part: -math.inf if part.observed is None else part.observed)
    gate = whole("robust", parts, required=required, unit=findings.measure)
    if gate.status != "unresolved":
        return gate
    steps = [*critical_step(findings, "from_pass"), *critical_step(findings, "pass")]
    return replace(gate, next=(*steps, *gate.next))


def _part(findings: Findings, baseline: str) -> Part:
    low = worst_low(findings, baseline)
    high = best_high(findings, baseline)
    status = _status(low, high, findings.margin)
    more = joining(findings, baseline)
    return Part(
        status=status,
        reason=_REASONS[status].format(baseline=baseline) + (_JOINING.format(more) if more else ""),
        evidence={
            "baseline": baseline,
            "worst_low": _known(low),
            "best_high": _known(high),
            "bound": how_bounded(findings, baseline),
            "joining": more,
        },
        observed=_known(low),
        limit=findings.margin,
        next=judge_test(baseline) if status != "pass" else None,
    )


def _status(low: float, high: float, margin: float) -> Status:
    if not math.isfinite(low) or not math.isfinite(high):
        return "not_measured"
    if low > margin:
        return "pass"
    return "fail" if high <= margin + ROUNDING else "unresolved"


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None


_JOINING = "; {} further queries, with nothing relevant so far, could come into the mean"

_REASONS: dict[Status, str] = {
    "pass": "whatever the unjudged evidence is, it is better; least surely than {baseline}",
    "fail": "whatever the unjudged evidence is, it is not better by the margin than {baseline}",
    "unresolved": "the unjudged evidence decides the comparison with {baseline}",
    "not_measured": "no bounds over unjudged evidence for {baseline}",
}
