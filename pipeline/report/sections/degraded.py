"""Degraded modes: what is left when a branch is out."""

from pipeline.report.blocks import Block, Paragraph, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, value
from pipeline.report.stored import Stored


def degraded(stored: Stored) -> Section:
    """Quality, empty and partial answers under each fault, and the branches' own states."""
    return Section(
        "degraded",
        "Degraded modes",
        "What is left when a branch is out?",
        [*_faults(stored), *_states(stored)] or [Paragraph("No fault was tried.")],
    )


def _faults(stored: Stored) -> list[Block]:
    if stored.faults.is_empty():
        return [
            Paragraph("No fault was tried: nothing is selected, or no query is on an open side.")
        ]
    return [
        Table(
            "The selected configuration under each fault",
            ["fault", "side", "measure", "value", "delta", "empty answers", "partial", "queries"],
            [
                [
                    row["fault"].replace("dropout:", "without "),
                    row["split"],
                    row["measure"],
                    cell(value(row["value"])),
                    difference(row["delta"], better=stored.more_is_better),
                    *(cell(row[key]) for key in ("empties", "partials", "queries")),
                ]
                for row in stored.faults.sort("split", "fault").iter_rows(named=True)
            ],
            note=measure_note(stored, sorted(set(stored.faults["measure"]))),
        )
    ]


def _states(stored: Stored) -> list[Block]:
    branches = stored.evaluation_summary.get("branches") or {}
    states = sorted({state for counts in branches.values() for state in counts})
    if not states:
        return []
    return [
        Table(
            "How each branch answered, queries by state",
            ["branch", *states],
            [
                [name, *(cell(counts.get(state, 0)) for state in states)]
                for name, counts in sorted(branches.items())
            ],
        )
    ]
