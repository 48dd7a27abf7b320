"""Which judgments could turn the answer, and which it rests on."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Paragraph, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, signed
from pipeline.report.stored import Stored

# How many pairs the page lists; the table holds all of them.
LISTED = 50

TURNS = {
    "pass": "lift L over the limit against everything that must be beaten",
    "from_pass": "let L fall to the limit",
}


def critical_blocks(stored: Stored, side: str) -> list[Block]:
    """The decision-critical list of a side, or that there is none."""
    figures = (stored.evaluation_summary.get(side) or {}).get("critical")
    if not figures:
        return []
    rows = stored.critical.filter(pl.col("split") == side).sort("place")
    if not figures["pairs"]:
        return [Paragraph(_none(figures, side))]
    title = f"Decision-critical pairs of {side}"
    return [
        Paragraph(_found(figures, str(rows["turns"].first()), side)),
        Table(
            title,
            ["place", "query", "evidence", "grade that would do it", "L by then (t)"],
            [
                [
                    cell(str(row["place"])),
                    row["query_id"],
                    row["evidence_id"],
                    cell(str(row["grade"])),
                    cell(signed(row["low"])),
                ]
                for row in rows.head(LISTED).iter_rows(named=True)
            ],
            note="Not a forecast of grades: with these grades, and nothing else judged, the gate "
            "would turn. L is the least over what must be beaten, with the pair and all above it. "
            f"The first {min(LISTED, rows.height)} of {figures['pairs']}; blind worksheet: "
            "rankgate judge export --critical --assessor NAME.",
        ),
    ]


def _found(figures: Mapping[str, Any], turns: str, side: str) -> str:
    sure = (
        "no smaller set would (every one was tried)"
        if figures["proven"]
        else "a smaller set may exist: the best next pair was taken until it turned, and what was "
        "not needed was put back"
    )
    return (
        f"On {side} {figures['pairs']} of {figures['open']} unjudged pairs could {TURNS[turns]}: "
        f"L from {signed(figures['low'])} to {signed(figures['low_after'])}; {sure}."
    )


def _none(figures: Mapping[str, Any], side: str) -> str:
    why = "every set was tried" if figures["proven"] else "none was found"
    return (
        f"On {side} no set of the {figures['open']} unjudged pairs turns the primary gate ({why})."
    )


def bias_blocks(stored: Stored, side: str) -> list[Block]:
    """The primary comparisons without each branch's own judgments."""
    rows = stored.pool_bias.filter(pl.col("split") == side).sort("baseline", "without")
    if rows.is_empty():
        return []
    return [
        Table(
            f"Pool bias on {side}: without the judgments that one branch alone contributed",
            ["against", "without", "judgments dropped", "relevant", "queries", "delta", "L", "U"],
            [
                [
                    row["baseline"],
                    row["without"] or "nothing dropped",
                    cell(str(row["dropped"])),
                    cell(str(row["dropped_relevant"])),
                    cell(str(row["queries"])),
                    difference(row["delta"], better=stored.more_is_better),
                    cell(signed(row["low"])),
                    cell(signed(row["high"])),
                ]
                for row in rows.iter_rows(named=True)
            ],
            note="Dropped from the ideal lists, too. A comparison that turns is named among the "
            "decision's notes. A query without relevant evidence left is not counted. "
            + measure_note(stored, [stored.measure], side=side),
        )
    ]
