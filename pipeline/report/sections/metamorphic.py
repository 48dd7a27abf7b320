"""Promises that need no grade, and who breaks them."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.blocks import Block, Paragraph, Section, Table
from pipeline.report.numbers import MISSING, cell
from pipeline.report.stored import Stored

NAMED = 5

SAID = {
    "irrelevant_document": "documents that answer nothing push the only relevant one out",
    "other_tenant": "another tenant's document is listed",
    "punctuation": "quotation marks turn a hit into a miss",
    "repeated_identifier": "a page falls for saying its own identifier more often",
    "superseded": "a superseded document stands above its replacement",
}


def metamorphic(stored: Stored) -> Section:
    """The rate of each check for each system, and the first violating queries."""
    rows = stored.metamorphic["checks"]
    tried = [row for row in rows if row["rate"] is not None]
    reasons = sorted({f"{row['system']}: {row['reason']}" for row in rows if row["rate"] is None})
    blocks: list[Block] = [_table(tried)] if tried else []
    blocks += [Paragraph(f"Not tried. {'; '.join(reasons)}.")] if reasons else []
    return Section(
        "metamorphic",
        "Metamorphic checks",
        "Does a change that should not matter change the lists?",
        blocks,
    )


def _table(rows: list[Mapping[str, Any]]) -> Table:
    return Table(
        "Violations, by check and system",
        ["violated where", "system", "tried", "violations", "share", "first queries"],
        [
            [
                SAID[row["check"]],
                row["system"],
                cell(row["tried"]),
                cell(row["violations"]),
                cell(f"{row['rate']:.1%}"),
                ", ".join(row["queries"][:NAMED]) or MISSING,
            ]
            for row in rows
        ],
        note="All violating queries: data/operations/metamorphic.json.",
    )
