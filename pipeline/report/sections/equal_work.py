"""Equal work: fusion and branches where all fetch equally much."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Cell, Paragraph, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, difference, signed, value
from pipeline.report.stored import SIDES, Stored

_KINDS: Mapping[str, str] = {
    "cut": "fusion at D/B",
    "summed": "branch at the summed depth",
    "other": "branch at another's depth",
    "reranked_cut": "fusion at D/B, reranked",
    "reranked_summed": "branch at the summed depth, reranked",
    "reranked_other": "branch at another's depth, reranked",
}
COLUMNS = (
    "what",
    "measure",
    "branch",
    "its depth",
    "fused",
    "fusion's",
    "branch's",
    "delta",
    "L",
    "U",
)


def equal_work(stored: Stored) -> Section:
    """The cut fusion against each branch, and deeper branches against the fusion."""
    blocks: list[Block] = [
        _table(stored, side, rows)
        for side in SIDES
        if not (rows := stored.equal_work.filter(pl.col("split") == side)).is_empty()
    ]
    return Section(
        "equal-work",
        "Equal work",
        "Does fusion gain by what it does, or only by fetching more?",
        blocks or [Paragraph("Nothing was compared: no judged query on an open side.")],
    )


def _table(stored: Stored, side: str, rows: pl.DataFrame) -> Table:
    order = {kind: place for place, kind in enumerate(_KINDS)}
    told = sorted(
        rows.iter_rows(named=True),
        key=lambda row: (order[row["kind"]], row["measure"] == "R", row["baseline"], row["depth"]),
    )
    return Table(
        f"At equal work, {side}",
        COLUMNS,
        [_row(stored, row) for row in told],
        note="Fused: what the fusion's branches are asked for together. R: the share of relevant "
        "evidence in all that is fetched; deeper lists cannot change the top by themselves. "
        "Reranked: all that is fetched, in the recorded reranker's order. "
        + measure_note(stored, [stored.measure], side=side),
    )


def _row(stored: Stored, row: Mapping[str, Any]) -> list[Cell | str]:
    about = [_KINDS[row["kind"]], row["measure"], row["baseline"]]
    depths = [cell(row["depth"]), cell(row["fetched"])]
    better = row["measure"] == "R" or stored.more_is_better
    return [
        *about[:2],
        Cell(about[2] if row["missing"] is None else f"{about[2]} (not known so deep)"),
        *depths,
        cell(value(row["ours"])),
        cell(value(row["theirs"])),
        difference(row["delta"], better=better),
        cell(signed(row["low"])),
        cell(signed(row["high"])),
    ]
