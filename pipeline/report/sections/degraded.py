"""Degraded modes: what every system answers when a branch fails."""

from collections.abc import Iterator

import polars as pl

from pipeline.faults import INJECTED, in_words
from pipeline.report.blocks import Block, Cell, Paragraph, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, value
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED
from pipeline.tables import NO_FAULT


def degraded(stored: Stored) -> Section:
    """Quality, empty and partial answers under each fault, and the branches' own states."""
    blocks = [*_silent(stored), *_faults(stored), *_invariants(stored), *_states(stored)]
    return Section(
        "degraded",
        "Degraded modes",
        "What is left when a branch fails?",
        blocks or [Paragraph("No fault was tried.")],
    )


def _faults(stored: Stored) -> Iterator[Block]:
    if stored.faults.is_empty():
        yield Paragraph("No fault was tried: nothing is selected, or no query is on an open side.")
        return
    note = measure_note(stored, sorted(set(stored.faults["measure"])))
    for side in stored.sides:
        rows = _in_order(stored.faults.filter(pl.col("split") == side))
        if rows.height:
            yield _by_system(stored, rows, side, note)
            yield _of_selected(stored, rows, side)
            yield from _kept(rows.filter(pl.col("floor").is_not_null()), side)
    yield _declared(stored)


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """No fault first, then as the faults are declared; pairs of branches after each branch."""
    places = {name: place for place, name in enumerate((NO_FAULT, *INJECTED))}
    kind = pl.col("fault").str.split(":").list.first()
    return rows.sort(
        kind.replace_strict(places, default=len(places)),
        pl.col("fault").str.contains(r"\+"),
        "fault",
    )


def _by_system(stored: Stored, rows: pl.DataFrame, side: str, note: str) -> Table:
    systems = sorted(set(rows["system"]), key=lambda name: (name != SELECTED, name))
    values = {(row["fault"], row["system"]): row for row in rows.iter_rows(named=True)}
    faults = rows["fault"].unique(maintain_order=True)
    return Table(
        f"{stored.faults['measure'][0]} of every system under each fault, {side}",
        ["fault", *systems],
        [
            [_named(fault), *(_value(values.get((fault, one))) for one in systems)]
            for fault in faults
        ],
        note=note,
    )


def _value(row: dict[str, object] | None) -> Cell:
    return cell(value(None if row is None else row["value"]))  # type: ignore[arg-type]


_COUNTED = ("empties", "partials", "fallbacks", "affected")


def _of_selected(stored: Stored, rows: pl.DataFrame, side: str) -> Table:
    return Table(
        f"The selected configuration under each fault, {side}",
        [
            "fault",
            "value",
            "delta",
            "empty answers",
            "partial",
            "without a branch",
            "affected",
            "affected value",
            "unaffected value",
            "queries",
        ],
        [
            [
                _named(row["fault"]),
                cell(value(row["value"])),
                difference(row["delta"], better=stored.more_is_better),
                *(cell(row[key]) for key in _COUNTED),
                cell(value(row["affected_value"])),
                cell(value(row["unaffected_value"])),
                cell(row["queries"]),
            ]
            for row in rows.filter(pl.col("system") == SELECTED).iter_rows(named=True)
        ],
        note="Affected: queries with a list that the fault changed. Partial: answers that say that "
        "a branch gave less than it has. Without a branch: answers made from the others, because "
        "one gave nothing to use.",
    )


def _kept(rows: pl.DataFrame, side: str) -> Iterator[Table]:
    if rows.is_empty():
        return
    figures = ("above", "above_low", "above_high", "counted_low")
    counts = ("groups", "moved_groups", "emptied")
    yield Table(
        f"What is kept above the floor, {side}",
        [
            "fault",
            "floor",
            "above it",
            "at least",
            "at most",
            "counted, at least",
            "query groups",
            "changed",
            "lost answers",
            "of queries, at least",
            "at most ",
        ],
        [
            [
                _named(row["fault"]),
                cell(value(row["floor"])),
                *(cell(value(row[key])) for key in figures),
                *(cell(row[key]) for key in counts),
                cell(value(row["emptied_low"])),
                cell(value(row["emptied_high"])),
            ]
            for row in rows.iter_rows(named=True)
        ],
        note="Above it: the mean of value under the fault - floor * value without it, paired by "
        "query, with the one-sided bounds that gate degraded judges. Where fewer than 15 query "
        "groups change, those that lose are counted, and that bound decides.",
    )


def _declared(stored: Stored) -> Table:
    tried = {str(fault).partition(":")[0] for fault in stored.faults["fault"]}
    return Table(
        "What is declared to happen",
        ["fault", "what the engine does", "declared behaviour"],
        [
            [name.replace("_", " "), fault.happens, fault.declared]
            for name, fault in INJECTED.items()
            if name in tried
        ],
        folded=True,
    )


def _named(fault: str) -> str:
    return "no fault" if fault == NO_FAULT else in_words(fault)


def _silent(stored: Stored) -> Iterator[Block]:
    for one in stored.operations_summary.get("silent") or []:
        yield Paragraph(f"Silent degradation: {one['text']}.")
    for one in stored.operations_summary.get("stale") or []:
        yield Paragraph(f"Stale index: {one['text']}.")


def _invariants(stored: Stored) -> Iterator[Block]:
    found = stored.operations_summary.get("invariants") or {}
    if found:
        yield Table(
            "What must hold whatever fails",
            ["invariant", "looked at", "broken", "first"],
            [
                [
                    name.replace("_", " "),
                    cell(one["checked"]),
                    Cell(
                        f"{len(one['violations']):,}",
                        "bad" if one["violations"] else "good",
                        number=True,
                    ),
                    one["violations"][0] if one["violations"] else "",
                ]
                for name, one in sorted(found.items())
            ],
            folded=not any(one["violations"] for one in found.values()),
        )


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
