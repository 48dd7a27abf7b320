"""Slices: where fusion helps and where it hurts."""

from collections.abc import Iterator

import polars as pl

from pipeline.report.blocks import Block, Cell, Chart, Paragraph, Section, Table
from pipeline.report.charts import Span, intervals
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, signed, value
from pipeline.report.reference import reference
from pipeline.report.sections.slice_readings import reading
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED


def slices(stored: Stored) -> Section:
    """Branches and fusion side by side on each slice with enough queries."""
    blocks = [block for side in stored.sides for block in _side(stored, side)]
    return Section(
        "slices",
        "Slices",
        "On which kinds of queries does fusion help, and on which does it hurt?",
        blocks or [Paragraph(_nothing(stored))],
    )


def _nothing(stored: Stored) -> str:
    minimum = stored.params.evaluation.slices.minimum
    derived = stored.params.evaluation.slices.derived
    if not stored.manifest.get("has_slices", True) and not derived:
        return "The collection declares no slices (queries.jsonl: `slices`)."
    return f"No slice has {minimum} judged queries on an open side."


def _side(stored: Stored, side: str) -> Iterator[Block]:
    rows = stored.comparisons.filter(
        (pl.col("split") == side)
        & (pl.col("slice") != "")
        & (pl.col("measure") == stored.measure)
        & (pl.col("system") == SELECTED)
    )
    left_out = (stored.evaluation_summary.get(side) or {}).get("slices_left_out") or {}
    if not rows.is_empty():
        yield from _shown(stored, side, rows)
    if left_out:
        named = ", ".join(f"{name} ({number})" for name, number in sorted(left_out.items()))
        minimum = stored.params.evaluation.slices.minimum
        yield Paragraph(f"Fewer than {minimum} judged {side} queries, so not shown: {named}.")


def _shown(stored: Stored, side: str, rows: pl.DataFrame) -> Iterator[Block]:
    row = reference(stored.decision, stored.evaluation_summary.get("branches") or {})
    baseline = row["baseline"] if row else rows["baseline"].sort()[0]
    told = rows.filter(pl.col("baseline") == baseline).sort("slice").to_dicts()
    spans = [Span(each["slice"], each["delta"], each["low"], each["high"]) for each in told]
    title = f"{stored.measure} of the selected configuration less {baseline}'s by slice, {side}"
    svg = intervals(
        f"slices-{side}",
        spans,
        title=title,
        axis=f"difference in {stored.measure}, L to U",
        better=stored.more_is_better,
    )
    yield Chart(f"{title}: the dot is the mean, the line goes from L to U.", svg)
    yield _table(stored, side, rows)


def _table(stored: Stored, side: str, rows: pl.DataFrame) -> Table:
    means = _means(stored, side)
    return Table(
        f"{stored.measure} by slice on {side}",
        [
            "slice",
            "baseline",
            "queries",
            "selected",
            "baseline's",
            "delta",
            "L",
            "U",
            "W/L/T",
            "reading",
        ],
        [
            [
                Cell(row["slice"], "chosen" if row["slice"] in _vetoes(stored) else ""),
                row["baseline"],
                cell(row["queries"]),
                cell(value(means.get((row["slice"], SELECTED)))),
                cell(value(means.get((row["slice"], row["baseline"])))),
                difference(row["delta"], better=stored.more_is_better),
                cell(signed(row["low"])),
                cell(signed(row["high"])),
                cell(f"{row['wins']}/{row['losses']}/{row['ties']}"),
                reading(stored, row),
            ]
            for row in rows.filter(pl.col("baseline").is_in(stored.rivals))
            .sort("slice", "baseline")
            .iter_rows(named=True)
        ],
        note=f"Derived: {_derived(stored, side)}. "
        f"Slices of {stored.params.evaluation.slices.minimum} judged queries or more; "
        "bold: named in decision.slices. " + measure_note(stored, [stored.measure], side=side),
    )


def _derived(stored: Stored, side: str) -> str:
    shown = stored.slices.filter((pl.col("split") == side) & pl.col("derived"))
    return ", ".join(shown["slice"].unique().sort()) or "none"


def _vetoes(stored: Stored) -> set[str]:
    return set(stored.params.decision.slices)


def _means(stored: Stored, side: str) -> dict[tuple[str, str], float | None]:
    members = stored.slices.filter(pl.col("split") == side).select("slice", "query_id")
    means = (
        stored.per_query.filter((pl.col("split") == side) & (pl.col("measure") == stored.measure))
        .join(members, on="query_id")
        .group_by("slice", "system")
        .agg(pl.col("value").sort_by("query_id").mean())
    )
    return {(name, system): mean for name, system, mean in means.rows()}
