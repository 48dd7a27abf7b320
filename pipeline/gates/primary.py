"""Is the selected configuration better than every single branch and the production run?"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, not_measured, whole
from pipeline.gates.groups_needed import needed_evidence
from pipeline.gates.interval import (
    GROUPS,
    GROUPS_WITH_A_DIFFERENCE,
    Interval,
    intervals,
    verdict,
    weakest_first,
)
from pipeline.gates.unjudged import best_high, critical_pairs, critical_step
from pipeline.gates.wording import (
    OPEN,
    SEALED,
    choose_again,
    describe,
    judge_test,
    more_groups,
    why_unresolved,
)


def primary(findings: Findings) -> Gate:
    """The primary gate: always required, one verdict for every comparison.

    `improve`: a comparison passes where L > margin; it fails where U <= margin and, under the
    regime `pooled`, still does with unjudged evidence at its best for the selected
    configuration. `not_worse`: the same with margin = -tolerance.

    Args:
        findings: the study's measurements and limits.

    Returns:
        pass where every comparison passes, fail where any fails, else unresolved;
        not_measured while sealed and where a comparison is missing.
    """
    if findings.sealed:
        return not_measured("primary", SEALED, required=True, step=OPEN)
    baselines = findings.rivals
    compared = intervals(findings, measure=findings.measure, baselines=baselines)
    missing = sorted(set(baselines) - {one.baseline for one in compared})
    if missing:
        reason = f"no judged test query compares it with {', '.join(missing)}"
        return not_measured("primary", reason, required=True, step=judge_test())
    parts = [_part(findings, one) for one in weakest_first(compared)]
    gate = whole("primary", parts, required=True, unit=findings.measure)
    # Below the floor no judgment makes an interval gate pass.
    if gate.status != "unresolved" or min(one.groups for one in compared) < GROUPS:
        return gate
    return replace(gate, next=(*_few_judgments(findings, compared), *gate.next))


def _few_judgments(findings: Findings, compared: Sequence[Interval]) -> tuple[str, ...]:
    """The few pairs that could lift every L, unless too few groups would differ even then."""
    differing = min(one.groups_with_a_difference for one in compared)
    more = critical_pairs(findings, "pass")["query_id"].n_unique()
    enough = differing + more >= GROUPS_WITH_A_DIFFERENCE
    return critical_step(findings, "pass") if enough else ()


def _part(findings: Findings, one: Interval) -> Part:
    limit, high = findings.margin, best_high(findings, one.baseline)
    status = verdict(one, limit, best_high=high)
    return Part(
        status=status,
        reason=_reason(findings, one, status),
        evidence={
            **one.evidence(findings.measure),
            **needed_evidence(findings, one, limit),
            "best_high": high if math.isfinite(high) else None,
        },
        observed=one.delta,
        limit=limit,
        next=_step(findings, one, status),
    )


def _reason(findings: Findings, one: Interval, status: Status) -> str:
    opening = _OPENINGS[findings.params.question][status].format(
        **{word: _with_production(word, findings) for word in ("and", "or")}
    )
    return f"{opening} {describe(one, findings.measure)}; {_why(findings, one, status)}"


def _with_production(word: str, findings: Findings) -> str:
    """Production is named only where there is one."""
    return "" if findings.params.production is None else f" {word} production"


_OPENINGS: Mapping[str, Mapping[Status, str]] = {
    "improve": {
        "pass": "gains on every single branch{and}; least on",
        "fail": "gains no more than the margin on",
        "unresolved": "not settled against",
    },
    "not_worse": {
        "pass": "loses no more than allowed to any single branch{or}; most to",
        "fail": "loses more than allowed to",
        "unresolved": "not settled against",
    },
}


def _why(findings: Findings, one: Interval, status: Status) -> str:
    if status != "unresolved":
        return f"the limit is {findings.margin:g}"
    if _only_unjudged_saves(findings, one):
        return f"unjudged evidence could still lift it over the limit {findings.margin:g}"
    return why_unresolved(one, findings.margin)


def _step(findings: Findings, one: Interval, status: Status) -> str | None:
    """After fail another configuration; while unresolved more judgments, or more groups."""
    if status == "pass":
        return None
    if status == "fail":
        return choose_again(findings, one.baseline)
    if _only_unjudged_saves(findings, one):
        return judge_test(one.baseline)
    return more_groups(findings, one, findings.margin)


def _only_unjudged_saves(findings: Findings, one: Interval) -> bool:
    if one.high is None or one.says_nothing:
        return False
    return one.high <= findings.margin + ROUNDING
