"""The gates' evidence: what each looked at."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.blocks import Block, Cell, Paragraph, Section, Table
from pipeline.report.numbers import MISSING, cell
from pipeline.report.stored import Stored

ROWS = 50
READ_FIRST = (
    "baseline",
    "system",
    "fault",
    "check",
    "slice",
    "status",
    "value",
    "delta",
    "low",
    "high",
    "limit",
    "queries",
    "groups",
)
"""Columns in the order in which a finding is read; any other follows, by name."""


def gates(stored: Stored) -> Section:
    """One table for each gate that has evidence."""
    blocks: list[Block] = [_table(gate) for gate in stored.decision["gates"] if gate["evidence"]]
    return Section(
        "gates",
        "Evidence of each gate",
        "What exactly did each gate look at?",
        blocks or [Paragraph("No gate has measured evidence yet.")],
    )


def _table(gate: Mapping[str, Any]) -> Table:
    found = {key for part in gate["evidence"] for key in part}
    columns = [name for name in READ_FIRST if name in found] + sorted(found - {*READ_FIRST})
    more = f", the first {ROWS}" if len(gate["evidence"]) > ROWS else ""
    return Table(
        f"{gate['gate'].replace('_', ' ')}: {gate['status'].replace('_', ' ')}{more}",
        [name.replace("_", " ") for name in columns],
        [[_cell(part.get(name)) for name in columns] for part in gate["evidence"][:ROWS]],
        note=f"Limit {_number(gate['limit'])}, observed {_number(gate['observed'])} "
        f"({gate['unit'] or 'no unit'}).",
    )


def _cell(found: object) -> Cell:
    if isinstance(found, bool) or found is None or isinstance(found, str):
        return Cell(MISSING if found is None else str(found).replace("_", " ") or "all")
    return cell(_number(found))


def _number(found: object) -> str:
    if isinstance(found, float):
        return f"{found:.4f}"
    return MISSING if found is None else str(found)
