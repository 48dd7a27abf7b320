"""How many query groups would settle a comparison, and when no number in practice would."""

from dataclasses import dataclass

from pipeline.gates.findings import Findings
from pipeline.gates.interval import GROUPS, Interval
from pipeline.statistics.power import groups_needed

# Nobody judges more than this many times the groups a test has; nor, for a small one, this many.
REALISTIC_TIMES = 20
REALISTIC_GROUPS = 2_000


@dataclass(frozen=True, slots=True)
class Needed:
    """Query groups with which a comparison passes in 80 % of studies, were its gain in truth …

    Args:
        at_low: … as small as L; None where that does not exceed the limit.
        at_delta: … as observed; None likewise.
        at_high: … as large as U; None likewise.
        total: … as observed, with which it is settled one way or the other; None where no
            realistic number is enough.
        most: the largest number that is still called realistic.
    """

    at_low: int | None
    at_delta: int | None
    at_high: int | None
    total: int | None
    most: int


def needed(findings: Findings, one: Interval, limit: float) -> Needed:
    """Groups needed at the limit, at the difference and at both ends of its interval.

    Args:
        findings: the study's measurements, for the level of its bounds.
        one: the paired gain.
        limit: what it must exceed.

    Returns:
        Never fewer than a gate needs to pass.
    """
    alpha = float(findings.evaluation_summary.get("alpha") or findings.params.evaluation.alpha)
    error, most = one.standard_error or 0.0, max(REALISTIC_GROUPS, REALISTIC_TIMES * one.groups)

    def at(gain: float | None) -> int | None:
        if gain is None:
            return None
        number = groups_needed(gain - limit, error, one.groups, alpha)
        return None if number is None else max(number, GROUPS)

    settled = None if one.delta is None else at(limit + abs(one.delta - limit))
    realistic = settled is not None and settled <= most
    # The interval is wider than the t interval where there are few groups or they are skewed: a
    # number that is there already did not settle it.
    total = max(settled or 0, one.groups + 1) if realistic else None
    at_high = at(one.high)
    return Needed(
        at(one.low), at(one.delta), at_high if (at_high or 0) <= most else None, total, most
    )


def needed_evidence(findings: Findings, one: Interval, limit: float) -> dict[str, object]:
    """The same as it stands in a gate's evidence, flat."""
    found = needed(findings, one, limit)
    return {
        "groups_needed_at_low": found.at_low,
        "groups_needed": found.at_delta,
        "groups_needed_at_high": found.at_high,
        "highest_low": one.highest_low,
        "unresolvable": one.unresolvable(limit),
    }
