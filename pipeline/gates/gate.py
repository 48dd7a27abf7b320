"""What a gate says: its status, what was observed against which limit, and why."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "fail", "unresolved", "not_measured", "not_applicable"]

# Of several parts the first of these decides: one failure fails the whole, and a gap in the
# measurements is named before a lack of evidence.
SEVERITY: tuple[Status, ...] = ("fail", "not_measured", "unresolved", "pass", "not_applicable")

# Limits are round numbers and differences of floats are not: 0.7 - 0.6 must reach 0.1. For
# limits of the form <= and >= only; L > margin stays strict, or a system would beat itself.
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Gate:
    """One gate and its verdict.

    Args:
        gate: its name, a key of `pipeline.gates.GATES`.
        required: whether it can change the word.
        status: pass, fail, unresolved (measured, not enough evidence), not_measured (`reason`
            names what is missing) or not_applicable (`reason` says why).
        reason: one plain sentence.
        observed: the figure held against the limit.
        limit: the declared limit.
        unit: what both are counted in.
        evidence: the parts that were looked at, each a flat mapping.
        next: the shortest ways to another status, each a sentence with its command.
    """

    gate: str
    required: bool
    status: Status
    reason: str
    observed: float | None = None
    limit: float | None = None
    unit: str | None = None
    evidence: tuple[Mapping[str, object], ...] = ()
    next: tuple[str, ...] = ()

    def record(self) -> dict[str, object]:
        """The gate as it stands in decision.json."""
        return {
            "gate": self.gate,
            "required": self.required,
            "status": self.status,
            "observed": self.observed,
            "limit": self.limit,
            "unit": self.unit,
            "reason": self.reason,
            "evidence": [dict(part) for part in self.evidence],
        }


@dataclass(frozen=True, slots=True)
class Part:
    """One of the several things that a gate looks at, with its own verdict.

    Args:
        status: the part's verdict.
        reason: the gate's sentence, should this part decide it.
        evidence: what was looked at, flat.
        observed: the figure held against the limit.
        limit: the limit it is held against.
        next: the shortest way to another status.
    """

    status: Status
    reason: str
    evidence: Mapping[str, object]
    observed: float | None = None
    limit: float | None = None
    next: str | None = None


def together(statuses: Iterable[Status]) -> Status:
    """The status of several parts, at least one: the first of SEVERITY that any of them has."""
    return min(statuses, key=SEVERITY.index)


def whole(gate: str, parts: Sequence[Part], *, required: bool, unit: str) -> Gate:
    """The gate made of its parts: passes only where every part passes, fails where any fails.

    Args:
        gate: its name.
        parts: at least one, the weakest first: of several with the deciding status the first
            gives the reason.
        required: whether the gate can change the word.
        unit: what the figures are counted in.
    """
    status = together(part.status for part in parts)
    deciding = next(part for part in parts if part.status == status)
    steps = [part.next for part in parts if part.status == status and part.next is not None]
    return Gate(
        gate,
        required=required,
        status=status,
        reason=deciding.reason,
        observed=deciding.observed,
        limit=deciding.limit,
        unit=unit,
        evidence=tuple({**part.evidence, "status": part.status} for part in parts),
        next=tuple(dict.fromkeys(steps)),
    )


def not_measured(gate: str, reason: str, *, required: bool, step: str | None = None) -> Gate:
    """A gate without a measurement: `reason` names what is missing, `step` how to get it."""
    steps = () if step is None else (step,)
    return Gate(gate, required=required, status="not_measured", reason=reason, next=steps)


def not_applicable(gate: str, reason: str) -> Gate:
    """A gate that has nothing to hold a limit against; it never changes the word."""
    return Gate(gate, required=False, status="not_applicable", reason=reason)
