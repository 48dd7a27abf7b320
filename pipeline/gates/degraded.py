"""Is the answer still good enough when a branch fails?"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.faults import in_words
from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, not_measured, together, whole
from pipeline.gates.kept import keeps_answers, keeps_floor, why_emptied, why_kept
from pipeline.gates.wording import OPEN, SEALED
from pipeline.measures import parse_measure
from pipeline.params import DegradedLimit
from pipeline.systems import SELECTED
from pipeline.tables import NO_FAULT


def degraded(findings: Findings) -> Gate | None:
    """The degraded gate: under every fault a declared share of the primary measure is kept.

    That is judged by the interval of value under the fault − floor · value without it, paired and
    by query group: a fault is certain to happen, the queries that it meets are a sample. Nor may
    answers go missing, nor may any invariant be broken.

    Args:
        findings: the study's measurements; FAULTS holds the bounds under each fault.

    Returns:
        The worst fault's verdict; None where it was neither asked for nor measured.
    """
    limit = findings.params.decision.degraded
    if findings.sealed:
        sealed = not_measured("degraded", SEALED, required=True, step=OPEN)
        return sealed if limit is not None else None
    healthy, faults = _measured(findings)
    if limit is None:
        shown = [] if healthy is None else [_part(row, healthy, None) for row in faults]
        return _unasked(shown)
    asked = [row for row in faults if row["floor"] is not None]
    parts = [] if healthy is None else [_part(row, healthy, limit) for row in asked]
    broken = [*_broken(findings), *_not_as_served(findings)]
    if not parts and not broken:
        reason = "no fault was tried on judged test queries"
        step = "List dropout under operations.faults in params.yaml and run `dvc repro`."
        return not_measured("degraded", reason, required=True, step=step)
    return whole("degraded", [*broken, *_weakest_first(parts)], required=True, unit="share kept")


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
    share, floor = row["worth"] / healthy["worth"], row["floor"] or 0.0
    value, answers = keeps_floor(row), keeps_answers(row, 0.0 if limit is None else limit.empties)
    status = together([value, answers])
    said = [f"{in_words(row['fault'])} ({row['fault']}): keeps {share:.1%}"]
    if row["floor"] is not None:
        said.append(why_kept(row, value))
    if limit is not None and (row["emptied"] or answers != "pass"):
        said.append(why_emptied(row, answers, limit))
    return Part(
        status=status,
        reason="; ".join([*said, f"the floor is {floor:.1%}"]),
        evidence=_evidence(row, share),
        observed=share,
        limit=floor,
        next=_step(value, answers),
    )


_SHOWN = (
    "fault",
    "value",
    "empties",
    "partials",
    "fallbacks",
    "affected",
    "affected_value",
    "emptied",
    "emptied_low",
    "emptied_high",
    "floor",
    "above",
    "above_low",
    "above_high",
    "counted_low",
    "groups",
    "moved_groups",
)


def _evidence(row: Mapping[str, Any], share: float) -> dict[str, object]:
    return {name: row[name] for name in _SHOWN} | {"kept": share}


def _step(value: Status, answers: Status) -> str | None:
    if "fail" in (value, answers):
        return _LEANS_LESS if value == "fail" else _ANSWERS_MORE
    return _MORE_GROUPS if "unresolved" in (value, answers) else None


_LEANS_LESS = "Declare more branches, or weights that lean less on one, and run `dvc repro`."
_ANSWERS_MORE = (
    "Declare another branch that answers these queries, or decision.degraded.empties: the share "
    "of queries that may go unanswered; then run `dvc repro`."
)
_MORE_GROUPS = (
    "Give the test more query groups: add them to queries.jsonl, run `rankgate assign`, judge them."
)


def _broken(findings: Findings) -> Iterator[Part]:
    """What must hold whatever fails, and does not."""
    invariants: Mapping[str, Any] = findings.operations_summary.get("invariants") or {}
    for name, found in sorted(invariants.items()):
        wrong = list(found["violations"])
        if wrong:
            yield Part(
                status="fail",
                reason=f"{name.replace('_', ' ')}: broken {len(wrong)} time(s), first {wrong[0]}",
                evidence={"invariant": name, "violations": len(wrong), "first": wrong[0]},
                next="Look the violations up in data/operations/summary.json, mend what answers.",
            )


def _not_as_served(findings: Findings) -> Iterator[Part]:
    """Recorded branches that look dead for a part, or are of another corpus: not what is served."""
    summary, production = findings.operations_summary, findings.params.production
    for one in [*(summary.get("silent") or []), *(summary.get("stale") or [])]:
        if set(one["branches"]) & {*findings.params.fused_branches, production}:
            yield Part(
                status="unresolved",
                reason=str(one["text"]),
                evidence={key: str(value) for key, value in one.items()},
                next="Record the run again with every branch alive, from one state of the index, "
                "and run `dvc repro`.",
            )


def _weakest_first(parts: list[Part]) -> list[Part]:
    return sorted(parts, key=lambda part: (part.observed or 0.0) - (part.limit or 0.0))


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
