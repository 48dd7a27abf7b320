"""Do more answerable queries end with nothing relevant in the context?"""

from collections.abc import Mapping

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, not_measured, whole
from pipeline.gates.interval import Interval, below, intervals, verdict, weakest_first
from pipeline.gates.wording import (
    OPEN,
    SEALED,
    choose_again,
    describe,
    more_groups,
    why_unresolved,
)
from pipeline.params import ToleranceLimit


def zero_hits(findings: Findings) -> Gate | None:
    """The zero-hits gate: the share of queries without a relevant item at the primary cutoff.

    Paired with the comparator, over answerable queries. The rise in zero hits passes where its
    upper bound is under the tolerance, fails where its lower bound is over it.

    Args:
        findings: the study's measurements; `decision.zero_hits` declares the tolerance.

    Returns:
        The worst comparison's verdict; None where it was neither asked for nor measured.
    """
    required = findings.params.decision.zero_hits is not None
    measure = f"ZeroHit@{findings.cutoff}"
    if findings.sealed:
        sealed = not_measured("zero_hits", SEALED, required=required, step=OPEN)
        return sealed if required else None
    compared = intervals(findings, measure=measure, baselines=findings.comparators)
    if not compared:
        step = f"Add {measure} to evaluation.measures in params.yaml and run `dvc repro`."
        absent = not_measured("zero_hits", f"{measure} was not measured", required=True, step=step)
        return absent if required else None
    parts = [_part(findings, gain, measure) for gain in weakest_first(compared)]
    return whole("zero_hits", parts, required=required, unit=measure)


def _part(findings: Findings, gain: Interval, measure: str) -> Part:
    tolerance = (findings.params.decision.zero_hits or ToleranceLimit()).tolerance
    status = verdict(gain, -tolerance, fails=below)
    return Part(
        status=status,
        reason=f"{_OPENINGS[status]} {describe(gain, measure)}; {_why(gain, status, tolerance)}",
        evidence=gain.evidence(measure),
        observed=gain.turned(measure).delta,
        limit=tolerance,
        next=_step(findings, gain, status, -tolerance),
    )


def _why(gain: Interval, status: Status, tolerance: float) -> str:
    if status == "unresolved":
        return why_unresolved(gain, -tolerance)
    return f"a rise of {tolerance:g} is allowed"


def _step(findings: Findings, gain: Interval, status: Status, limit: float) -> str | None:
    if status == "pass":
        return None
    return choose_again(findings) if status == "fail" else more_groups(findings, gain, limit)


_OPENINGS: Mapping[Status, str] = {
    "pass": "zero hits do not rise; closest to it against",
    "fail": "zero hits rise against",
    "unresolved": "not settled against",
}
