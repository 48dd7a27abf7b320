"""Do the systems keep promises that need no grade: harmless changes change nothing?"""

from collections.abc import Mapping
from typing import Any

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, whole
from pipeline.gates.interval import at_most

ASK = "Set operations.probes in params.yaml to a number of queries and run `dvc repro`."
WHICH = "data/operations/metamorphic.json lists the queries: {}."


def metamorphic(findings: Findings) -> Gate | None:
    """The metamorphic gate: the share of violating queries, by check, each system for itself.

    Args:
        findings: the study's measurements; `decision.metamorphic` names checks and their limits.

    Returns:
        pass where no system exceeds a named check's limit, fail where one does; not_measured
        where a named check was tried on no system. None where no limit is named.
    """
    limits = findings.params.decision.metamorphic
    if not limits:
        return None
    rows = findings.metamorphic["checks"]
    parts = [
        part
        for check, limit in sorted(limits.items())
        for part in _parts(check, limit, [row for row in rows if row["check"] == check])
    ]
    worst_first = sorted(parts, key=lambda part: -(part.observed or 0.0))
    return whole("metamorphic", worst_first, required=True, unit="share of queries")


def _parts(check: str, limit: float, rows: list[Mapping[str, Any]]) -> list[Part]:
    tried = [row for row in rows if row["rate"] is not None]
    if tried:
        return [_part(check, limit, row) for row in tried]
    why = "; ".join(dict.fromkeys(str(row["reason"]) for row in rows))
    return [
        Part(
            status="not_measured",
            reason=f"{check.replace('_', ' ')}: {why}",
            evidence={"check": check, "system": None, "tried": 0, "violations": None},
            limit=limit,
            next=ASK,
        )
    ]


def _part(check: str, limit: float, row: Mapping[str, Any]) -> Part:
    kept = at_most(row["rate"], limit)
    return Part(
        status="pass" if kept else "fail",
        reason=f"{check.replace('_', ' ')}, {row['system']}: {row['violations']} of "
        f"{row['tried']} queries violate it, at most {limit:.0%} may",
        evidence={name: row[name] for name in ("check", "system", "tried", "violations")},
        observed=row["rate"],
        limit=limit,
        next=None if kept else WHICH.format(", ".join(row["queries"][:3])),
    )
