"""Does the gain come at the cost of queries that must not get worse?"""

from collections.abc import Mapping

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, not_measured, whole
from pipeline.gates.groups_needed import needed_evidence
from pipeline.gates.interval import Interval, below, intervals, verdict, weakest_first
from pipeline.gates.wording import (
    OPEN,
    SEALED,
    choose_again,
    describe,
    judge_test,
    more_groups,
    why_unresolved,
)


def slices(findings: Findings) -> Gate | None:
    """The slices gate: each named slice, compared on the primary measure, may veto.

    A slice fails where U < -tolerance, passes where L > -tolerance, else is unresolved; so is
    one below `evaluation.slices.minimum` queries.

    Args:
        findings: the study's measurements; `decision.slices` names slices and tolerances.

    Returns:
        The worst slice's verdict, always required; None where no slice is named.
    """
    names = sorted(findings.params.decision.slices)
    if not names:
        return None
    if findings.sealed:
        return not_measured("slices", SEALED, required=True, step=OPEN)
    parts = [part for name in names for part in _parts(findings, name)]
    return whole("slices", parts, required=True, unit=findings.measure)


def _parts(findings: Findings, name: str) -> list[Part]:
    minimum = findings.params.evaluation.slices.minimum
    compared = intervals(
        findings, measure=findings.measure, baselines=findings.comparators, slice_name=name
    )
    enough = [one for one in compared if one.queries >= minimum]
    return [_part(findings, one) for one in weakest_first(enough)] or [_small(findings, name)]


def _part(findings: Findings, one: Interval) -> Part:
    limit = -findings.params.decision.slices[one.slice].tolerance
    status = verdict(one, limit, fails=below)
    return Part(
        status=status,
        reason=_reason(findings, one, status, limit),
        evidence={
            **one.evidence(findings.measure),
            **needed_evidence(findings, one, limit),
            "limit": limit,
        },
        observed=one.delta,
        limit=limit,
        next=_step(findings, one, status, limit),
    )


def _reason(findings: Findings, one: Interval, status: Status, limit: float) -> str:
    why = why_unresolved(one, limit) if status == "unresolved" else f"the limit is {limit:g}"
    return f"{_OPENINGS[status]} {describe(one, findings.measure)}; {why}"


_OPENINGS: Mapping[Status, str] = {
    "pass": "no named slice got worse; closest to it against",
    "fail": "a named slice got worse than allowed against",
    "unresolved": "not settled against",
}


def _step(findings: Findings, one: Interval, status: Status, limit: float) -> str | None:
    if status == "pass":
        return None
    return choose_again(findings) if status == "fail" else more_groups(findings, one, limit)


def _small(findings: Findings, name: str) -> Part:
    """A slice that no query has is a gap in the collection; one with few is thin evidence."""
    count, minimum = _count(findings, name), findings.params.evaluation.slices.minimum
    return Part(
        status="unresolved" if count else "not_measured",
        reason=f"slice {name}: {count} test queries, at least {minimum} ranked ones are needed",
        evidence={"slice": name, "queries": count},
        limit=-findings.params.decision.slices[name].tolerance,
        next=_more_queries(name, minimum - count) if count < minimum else judge_test(),
    )


def _more_queries(name: str, lacking: int) -> str:
    return (
        f"Give slice {name} at least {lacking} more judged test queries "
        "in queries.jsonl, and run `rankgate assign`."
    )


def _count(findings: Findings, name: str) -> int:
    members = findings.queries.filter(pl.col("slices").list.contains(name)).select("query_id")
    return members.join(findings.test_queries, on="query_id", how="semi").height
