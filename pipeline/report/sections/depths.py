"""What depth buys and what it costs: a table and pictures of the selected fusion cut."""

from collections.abc import Iterator

import polars as pl

from pipeline.report.blocks import Block, Chart, Row, Table
from pipeline.report.charts import Offer, exchange
from pipeline.report.numbers import MISSING, cell, signed, value
from pipeline.report.stored import Stored


def depth_blocks(stored: Stored) -> Iterator[Block]:
    """Quality on dev against candidates and time, over the depths that were tried."""
    rows = stored.depths.filter(pl.col("value").is_not_null()).sort("depth", "measure")
    if rows["depth"].n_unique() < 2:
        return
    yield _table(rows)
    mine = rows.filter(pl.col("measure") == stored.measure)
    pictures = [_picture(stored, mine, "candidates", "candidates per query")]
    timed = mine.filter(pl.col("p95").is_not_null())
    if timed.height > 1:
        pictures.append(_picture(stored, timed, "p95", "warm p95, ms"))
    yield Row(pictures)


def _table(rows: pl.DataFrame) -> Table:
    measures = sorted(rows["measure"].unique())
    figures = {(row["depth"], row["measure"]): row for row in rows.iter_rows(named=True)}
    heads = [head for measure in measures for head in (measure, "to the deepest")]
    shown = []
    for depth in sorted(rows["depth"].unique()):
        of = [figures[depth, measure] for measure in measures]
        quality = [cell(one) for row in of for one in (value(row["value"]), signed(row["delta"]))]
        times = [cell(_ms(of[0][name])) for name in ("p50", "p95")]
        shown.append([cell(depth), *quality, cell(f"{of[0]['candidates']:.4g}"), *times])
    return Table(
        "Depth against quality and cost, on dev",
        ["depth", *heads, "candidates", "p50 ms", "p95 ms"],
        shown,
        note="The selected fusion with no branch asked for more than the depth; below the selected "
        "depth branches are cut, above it they are asked for more. Chosen on dev, so "
        "no estimate of what is held out. Times are warm, end to end, one caller.",
    )


def _picture(stored: Stored, rows: pl.DataFrame, cost: str, axis: str) -> Chart:
    own = max((stored.selection.get("configuration") or {}).get("depths", {}).values(), default=0)
    offers = [
        Offer(
            str(row["depth"]),
            row[cost],
            row["value"],
            low=row["p95_low"] if cost == "p95" else None,
            high=row["p95_high"] if cost == "p95" else None,
            selected=row["depth"] == own,
        )
        for row in rows.iter_rows(named=True)
    ]
    title = f"{stored.measure} on dev against {axis}, by depth"
    limit = _limit(stored) if cost == "p95" else None
    svg = exchange(
        f"depth-{cost}", offers, title=title, axis=axis, measure=stored.measure, limit=limit
    )
    dashed = "" if limit is None else ", the dashed line the declared limit"
    return Chart(f"{title}; the star is the selected configuration{dashed}.", svg)


def _limit(stored: Stored) -> float | None:
    """The declared limit, where it is of what is drawn: milliseconds of the p95 of one caller."""
    limit = stored.params.decision.latency
    if limit is None or (limit.percentile, limit.callers) != (95, 1):
        return None
    return limit.milliseconds


def _ms(milliseconds: float | None) -> str:
    return MISSING if milliseconds is None else f"{milliseconds:.4g}"
