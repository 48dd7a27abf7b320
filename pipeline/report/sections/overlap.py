"""Complementarity: what one branch finds that the others do not."""

import polars as pl

from pipeline.report.blocks import Block, Chart, Paragraph, Row, Section, Table
from pipeline.report.charts import shares
from pipeline.report.numbers import cell, share
from pipeline.report.sections.branch_value import value_blocks
from pipeline.report.stored import Stored


def overlap(stored: Stored) -> Section:
    """Relevant evidence and queries by the branches that hold them."""
    blocks: list[Block] = []
    for side in ("test", "dev"):
        rows = stored.complementarity.filter(pl.col("split") == side)
        if not rows.is_empty():
            blocks += _side(side, rows)
            blocks += value_blocks(stored, side)
    return Section(
        "complementarity",
        "Complementarity",
        "Do the branches find different evidence, so that fusing can help at all?",
        blocks or [Paragraph("No judged relevant evidence on an open side.")],
    )


def _side(side: str, rows: pl.DataFrame) -> list[Block]:
    whole = rows.filter(pl.col("slice") == "").sort(
        "evidence", "found_by", descending=[True, False]
    )
    parts = [(_name(name), number) for name, number in whole.select("found_by", "evidence").rows()]
    title = f"Relevant evidence on {side}, by the branches that hold it"
    svg = shares(f"complementarity-{side}", parts, title=title, unit="pairs")
    note = "Within each branch's depth. No weight promotes what no branch found."
    blocks: list[Block] = [Row([Chart(f"{title}.", svg), _table(f"Found by, {side}", whole, note)])]
    by_slice = rows.filter(pl.col("slice") != "").sort("slice", "found_by")
    if not by_slice.is_empty():
        blocks.append(_by_slice(side, by_slice))
    return blocks


def _table(caption: str, rows: pl.DataFrame, note: str) -> Table:
    evidence, queries = int(rows["evidence"].sum()), int(rows["queries"].sum())
    return Table(
        caption,
        ["found by", "evidence", "share", "queries", "share"],
        [
            [
                _name(row["found_by"]),
                cell(row["evidence"]),
                cell(share(row["evidence"], evidence)),
                cell(row["queries"]),
                cell(share(row["queries"], queries)),
            ]
            for row in rows.iter_rows(named=True)
        ],
        note=note,
    )


def _by_slice(side: str, rows: pl.DataFrame) -> Table:
    return Table(
        f"Found by, by slice, {side}",
        ["slice", "found by", "evidence", "queries"],
        [
            [row["slice"], _name(row["found_by"]), cell(row["evidence"]), cell(row["queries"])]
            for row in rows.iter_rows(named=True)
        ],
        folded=True,
    )


def _name(found_by: str) -> str:
    if found_by == "none":
        return "no branch"
    return found_by.replace("+", " + ") if "+" in found_by else f"{found_by} only"
