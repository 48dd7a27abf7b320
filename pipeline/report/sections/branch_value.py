"""What each branch is worth: a table for the section on complementarity."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Cell, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import MISSING, cell, difference, share, signed
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED
from pipeline.times.components import search_of

COLUMNS = (
    "branch",
    "holds",
    "alone",
    "queries alone",
    "loss without it",
    "L",
    "U",
    "median search ms",
    "per ms",
)


def value_blocks(stored: Stored, side: str) -> Iterator[Block]:
    """Each branch's worth on all queries and on slices, and where agreement costs."""
    rows = stored.branch_value.filter(pl.col("split") == side)
    whole, slices = rows.filter(pl.col("slice") == ""), rows.filter(pl.col("slice") != "")
    if not whole.is_empty():
        yield _table(stored, side, whole, f"What each branch is worth, {side}")
    if not slices.is_empty():
        title = f"What each branch is worth, by slice, {side}"
        yield _table(stored, side, slices, title, folded=True)
    agreed = stored.agreement.filter(pl.col("split") == side)
    if not agreed.is_empty():
        yield _agreement(side, agreed)


def _table(
    stored: Stored, side: str, rows: pl.DataFrame, caption: str, *, folded: bool = False
) -> Table:
    times = {name: _search_time(stored, name) for name in rows["branch"].unique()}
    by_slice = ["slice"] if folded else []
    return Table(
        caption,
        [*by_slice, *COLUMNS],
        [
            [*([row["slice"]] if folded else []), *_row(stored, row, times[row["branch"]])]
            for row in rows.sort("slice", "branch").iter_rows(named=True)
        ],
        note="Holds: relevant evidence within the depth it is fused to; alone: no other branch has "
        "it there. Queries alone: no other branch holds anything relevant. Loss: "
        f"{stored.measure} of the selected configuration less that without the branch, with L "
        "and U. Per ms: that loss over the branch's median warm search, where `rankgate time` "
        "recorded one. " + measure_note(stored, [stored.measure], side=side),
        folded=folded,
    )


def _row(stored: Stored, row: Mapping[str, Any], ms: float | None) -> list[Cell | str]:
    delta = row["delta"]
    per = MISSING if ms is None or delta is None or not ms else f"{delta / ms:+.4g}"
    return [
        row["branch"],
        cell(row["evidence"]),
        cell(row["unique_evidence"]),
        cell(row["unique_queries"]),
        difference(delta, better=stored.more_is_better),
        cell(signed(row["low"])),
        cell(signed(row["high"])),
        cell(MISSING if ms is None else f"{ms:.3g}"),
        cell(per),
    ]


def _search_time(stored: Stored, branch: str) -> float | None:
    """The median of the branch's search inside the selected fusion, else by itself."""
    timed = stored.latency.filter(
        (pl.col("component") == search_of(branch))
        & (pl.col("mode") == "warm")
        & (pl.col("callers") == 1)
        & (pl.col("percentile") == 50)
    )
    by_system = dict(timed.select("system", "milliseconds").iter_rows())
    found: float | None = by_system.get(SELECTED, by_system.get(branch))
    return found


def _agreement(side: str, rows: pl.DataFrame) -> Table:
    return Table(
        f"Where agreement costs, {side}",
        ["branch", "first places", "pushed out", "share", "relevant", "not relevant", "unjudged"],
        [
            [
                row["branch"],
                cell(row["queries"]),
                cell(row["pushed_out"]),
                cell(share(row["pushed_out"], row["queries"])),
                *(cell(row[name]) for name in ("relevant", "not_relevant", "unjudged")),
            ]
            for row in rows.sort("branch").iter_rows(named=True)
        ],
        note="Pushed out: the branch's first item is beyond the primary cutoff of the fused list, "
        "and something that several branches hold, and none holds first, stands within it.",
    )
