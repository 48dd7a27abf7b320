"""Verdicts on one fault, from the bounds of what it leaves."""

from collections.abc import Mapping
from typing import Any

from pipeline.gates.gate import ROUNDING, Status
from pipeline.gates.interval import GROUPS, GROUPS_WITH_A_DIFFERENCE
from pipeline.params import DegradedLimit

Row = Mapping[str, Any]


def keeps_floor(row: Row) -> Status:
    """Whether a fault surely leaves the declared share of the primary measure.

    Passes where L(value under the fault − floor · value without it) >= 0 and fails where U < 0.
    Below 30 query groups it cannot pass. Where the fault changes values in fewer than 15 of them,
    however little they differ, the groups that lose are counted instead: the floor alone gives
    every other group a difference, and an interval of those knows nothing of a rare loss. What
    changes no list at all, and a floor of 0, can lose nothing that is asked for.

    Args:
        row: of FAULTS.
    """
    if not row["affected"] or not row["floor"]:
        return "pass"
    if row["above_high"] is not None and row["above_high"] < -ROUNDING:
        return "fail"
    low = _low(row)
    enough = low is not None and low >= -ROUNDING and row["groups"] >= GROUPS
    return "pass" if enough else "unresolved"


def keeps_answers(row: Row, allowed: float) -> Status:
    """Whether surely no more queries go unanswered than are allowed.

    A share that is allowed is held against bounds of the share of queries that lose their answer
    (Clopper and Pearson's, by query group). That none at all ever will no sample can show, so 0
    asks that none of these did, and one is enough to fail.

    Args:
        row: of FAULTS.
        allowed: the share of queries that may lose their answer.
    """
    if allowed == 0.0 or not row["affected"]:
        return "fail" if row["emptied"] else "pass"
    low, high = row["emptied_low"], row["emptied_high"]
    if low is None or high is None:
        return "unresolved"
    if high <= allowed + ROUNDING:
        return "pass"
    return "fail" if low > allowed + ROUNDING else "unresolved"


def why_kept(row: Row, status: Status) -> str:
    """What the bounds say of the floor."""
    if not row["affected"]:
        return "no list changes"
    if row["above_low"] is None and row["counted_low"] is None:
        return f"{row['groups']} query group(s) give no interval"
    if counted(row) and status != "fail" and row["counted_low"] is not None:
        return (
            f"values change in {row['moved_groups']} query group(s) only, so those that lose are "
            f"counted: at least {row['counted_low']:+.4f} above the floor{_too_few(row)}"
        )
    if row["above_low"] is None:
        return "every difference is the same, so nothing tells how sure it is"
    return (
        f"{row['above']:+.4f} above the floor, between {row['above_low']:+.4f} and "
        f"{row['above_high']:+.4f}{_too_few(row)}"
    )


def why_emptied(row: Row, status: Status, limit: DegradedLimit) -> str:
    """How many answers are lost, and what is allowed."""
    lost = f"{row['emptied']} more empty answers"
    if limit.empties == 0.0 or row["emptied_high"] is None:
        return f"{lost} ({limit.empties:.1%} of queries allowed)"
    return (
        f"{lost}, between {row['emptied_low']:.1%} and {row['emptied_high']:.1%} of queries "
        f"({limit.empties:.1%} allowed{', not settled' if status == 'unresolved' else ''})"
    )


def counted(row: Row) -> bool:
    """Whether so few groups' values change that the groups which lose are counted."""
    return bool(row["moved_groups"] < GROUPS_WITH_A_DIFFERENCE)


def _low(row: Row) -> float | None:
    low = row["counted_low" if counted(row) else "above_low"]
    return None if low is None else float(low)


def _too_few(row: Row) -> str:
    if row["groups"] >= GROUPS:
        return ""
    return f", but {row['groups']} query groups are too few to pass, {GROUPS} are needed"
