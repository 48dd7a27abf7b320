"""What the unjudged evidence could change."""

from itertools import groupby
from operator import itemgetter
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Chart, Paragraph, Row, Section, Table
from pipeline.report.charts import Span, intervals
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, signed
from pipeline.report.sections.judgments import bias_blocks, critical_blocks
from pipeline.report.stored import Stored

VIEWS = {
    "non_relevant": "as irrelevant",
    "condensed": "left out",
    "plausible": "as on dev (imputed)",
    "worst": "at its worst",
    "best": "at its best",
    "any": "any grades",
    "tried": "a few assignments",
}
REGIMES = {
    "exhaustive": "Regime exhaustive: everything relevant is judged, so nothing is left open.",
    "sparse": "Regime sparse: known items only are judged, so bounds would say nothing. The "
    "figures rank known items.",
}


def unjudged(stored: Stored) -> Section:
    """Bounds on the paired difference over every grade that unjudged evidence could have."""
    regime = stored.params.collection.regime
    blocks = [
        block
        for side in stored.sides
        for block in (
            *_side(stored, side),
            *critical_blocks(stored, side),
            *bias_blocks(stored, side),
        )
    ]
    missing = REGIMES.get(regime, "Nothing was compared, so there is nothing to bound.")
    return Section(
        "unjudged",
        "Unjudged evidence",
        "Could the evidence that nobody judged turn the answer round?",
        blocks or [Paragraph(missing)],
    )


def _blocks(stored: Stored, side: str) -> list[Block]:
    return [*_side(stored, side), *critical_blocks(stored, side), *bias_blocks(stored, side)]


def _side(stored: Stored, side: str) -> list[Block]:
    rows = stored.bounds.filter(pl.col("split") == side)
    if rows.is_empty():
        return []
    order = pl.col("view").replace_strict(list(VIEWS), range(len(VIEWS)), default=len(VIEWS))
    ordered = rows.sort("baseline", order).to_dicts()
    title = f"Difference on {side} under each view of unjudged evidence"
    charts = [
        _chart(stored, f"unjudged-{side}-{place}", title, list(views))
        for place, (_, views) in enumerate(groupby(ordered, key=itemgetter("baseline")))
    ]
    table = Table(
        title,
        ["baseline", "unjudged evidence", "delta", "L", "U", "bound", "joining"],
        [
            [
                row["baseline"],
                _view(row),
                difference(row["delta"], better=stored.more_is_better),
                cell(signed(row["low"])),
                cell(signed(row["high"])),
                _bound(row),
                row["joining"],
            ]
            for row in ordered
        ],
        note="At its worst and best for the selected configuration, query by query; any grades: "
        "the least L and the greatest U of the t interval over every assignment, also those that "
        "bring a query with nothing relevant so far into the mean (joining); a few "
        "assignments: those of the gate, which below 60 groups takes bootstrap-t, too. An outer "
        "bound holds but may be wider than need be. "
        + measure_note(stored, [stored.measure], side=side),
    )
    return [Row(charts), table]


def _chart(stored: Stored, name: str, title: str, views: list[dict[str, Any]]) -> Chart:
    spans = [Span(_view(row), row["delta"], row["low"], row["high"]) for row in views]
    against = f"{title}, against {views[0]['baseline']}"
    svg = intervals(
        name,
        spans,
        title=against,
        axis=f"difference in {stored.measure}, L to U",
        better=stored.more_is_better,
    )
    return Chart(f"{against}.", svg)


def _bound(row: dict[str, Any]) -> str:
    if row["view"] == "plausible":
        return "an estimate"
    if row["view"] == "tried":
        return "no bound"
    return "exact" if row["exact"] else "outer"


def _view(row: dict[str, Any]) -> str:
    return VIEWS.get(str(row["view"]), str(row["view"]))
