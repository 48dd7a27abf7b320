"""Latency and cost: what a query takes."""

import polars as pl

from pipeline.report.blocks import Block, Facts, Paragraph, Section, Table
from pipeline.report.numbers import cell
from pipeline.report.stored import Stored
from pipeline.report.work import untimed, work


def latency(stored: Stored) -> Section:
    """Percentiles from the times record, and the work that a query is."""
    missing = Paragraph(f"Time {untimed(stored.decision, stored.params)}.")
    blocks: list[Block] = [_times(stored)] if stored.latency.height else [missing]
    return Section(
        "latency",
        "Latency and cost",
        "What does a query take, and how much more work is it than before?",
        [*blocks, Facts(work(stored.decision, stored.params))],
    )


def _times(stored: Stored) -> Table:
    percentiles = sorted(stored.latency["percentile"].unique())
    known = {
        (row["system"], row["mode"], row["percentile"]): f"{row['milliseconds']:.4g}"
        for row in stored.latency.iter_rows(named=True)
    }
    calls = (
        stored.latency.group_by("system", "mode").agg(pl.col("calls").max()).sort("system", "mode")
    )
    return Table(
        "Milliseconds, by percentile",
        ["system", "mode", "calls", *(f"p{percentile}" for percentile in percentiles)],
        [
            [
                system,
                mode,
                cell(number),
                *(cell(known.get((system, mode, p), "–")) for p in percentiles),
            ]
            for system, mode, number in calls.rows()
        ],
        note="From the record of times of exactly these branches and documents. `selected` is end "
        "to end. p95 needs 200 calls, p99 1,000.",
    )
