"""Latency and cost: what a query takes, warm and cold, part by part, and what depth buys."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Cell, Facts, Paragraph, Section, Table
from pipeline.report.numbers import MISSING, cell
from pipeline.report.sections.depths import depth_blocks
from pipeline.report.stored import Stored
from pipeline.report.work import untimed, work
from pipeline.systems import SELECTED
from pipeline.times.components import END_TO_END, place_of

_PARTS: dict[str, str] = {
    "start": "process start, imports, opening the indexes",
    "eligibility": "eligibility",
    "collapse": "collapse",
    "fusion": "fusion",
    "fetch": "fetching the context's documents",
    END_TO_END: "end to end",
}
_WORDS = {
    "requests": "requests to indexes",
    "candidates": "candidates returned",
    "documents": "documents fetched",
    "context_tokens": "context tokens",
}
_SOURCES = {"lists": "stored lists", "record": "counted while timed"}


def latency(stored: Stored) -> Section:
    """Percentiles from the times record, ratios, the work that a query is, and depths."""
    return Section(
        "latency",
        "Latency and cost",
        "What does a query take, and how much more work is it than before?",
        list(_blocks(stored)),
    )


def _blocks(stored: Stored) -> Iterator[Block]:
    whole = stored.latency.filter(pl.col("component").is_in([END_TO_END, "retrieval"]))
    if stored.latency.filter(pl.col("system") == SELECTED).is_empty():
        yield Paragraph(f"Time {untimed(stored.decision, stored.params)}.")
    if whole.height:
        yield _times(whole)
    if stored.latency_ratios.height:
        yield _ratios(stored.latency_ratios)
    if stored.latency.height > whole.height:
        yield _components(stored.latency)
    yield Facts(work(stored.decision, stored.params))
    if stored.cost.height:
        yield _cost(stored.cost)
    yield from depth_blocks(stored)


def _times(rows: pl.DataFrame) -> Table:
    return _by_percentile(
        "Milliseconds end to end, by percentile",
        rows,
        ["system", "mode", "callers"],
        [("system",), ("mode",), ("callers",)],
        note="From the record of times of exactly these branches and documents. A call asks all "
        "branches at once and fetches the context's documents; a branch is served alone in the "
        "same way. warm: in one process, the systems taking turns, so many callers at once; cold: "
        "the first call of a fresh process; recorded: what a run's own service said, for the "
        "selected fusion the slowest of its branches, and without bounds, for the order of those "
        "calls is not known. In brackets bounds at α. p50 needs 20 calls, p95 200, p99 1,000.",
    )


def _components(latency: pl.DataFrame) -> Table:
    rows = latency.filter(
        (pl.col("system") == SELECTED) & pl.col("callers").eq(1) & (pl.col("mode") != "recorded")
    ).with_columns(
        place=pl.col("component").map_elements(
            lambda name: "{:02d} {}".format(*place_of(name)), return_dtype=pl.String
        )
    )
    return _by_percentile(
        "The selected configuration, part by part",
        rows,
        ["part", "mode"],
        [("component",), ("mode",)],
        order=["mode", "place"],
        descending=[True, False],
        note="One caller. Searches run at the same time: the slowest of them is waited for.",
    )


def _by_percentile(
    caption: str,
    rows: pl.DataFrame,
    heads: Sequence[str],
    columns: Sequence[tuple[str]],
    *,
    note: str,
    order: Sequence[str] = ("system", "mode", "callers"),
    descending: Sequence[bool] | bool = False,
) -> Table:
    percentiles = sorted(rows["percentile"].unique())
    names = [name for (name,) in columns]
    kept = list(dict.fromkeys([*order, *names, "component"]))
    groups = (
        rows.group_by(kept)
        .agg(pl.col("calls").max())
        .sort(list(order), descending=descending, nulls_last=True)
    )
    found = {
        (*(row[name] for name in kept), row["percentile"]): row
        for row in rows.iter_rows(named=True)
    }
    return Table(
        caption,
        [*heads, "calls", *(f"p{one}" for one in percentiles)],
        [
            [
                *(_said(name, group[name]) for name in names),
                cell(group["calls"]),
                *(_figure(found.get((*(group[one] for one in kept), p))) for p in percentiles),
            ]
            for group in groups.iter_rows(named=True)
        ],
        note=note,
    )


def _said(column: str, known: Any) -> Cell | str:
    if column == "component":
        return _PARTS.get(known, str(known).replace("search:", "search of "))
    if column == "callers":
        return cell(MISSING if known is None else int(known))
    return str(known)


def _figure(row: dict[str, Any] | None, column: str = "milliseconds") -> Cell:
    if row is None:
        return cell(MISSING)
    bounds = ""
    if row["low"] is not None and row["high"] is not None:
        bounds = f" [{row['low']:.3g}, {row['high']:.3g}]"
    return cell(f"{row[column]:.4g}{bounds}")


def _ratios(ratios: pl.DataFrame) -> Table:
    percentiles = sorted(ratios["percentile"].unique())
    keys = ["baseline", "mode", "callers"]
    groups = ratios.group_by(keys).agg(pl.col("calls").max()).sort(keys, nulls_last=True)
    found = {
        (*(row[key] for key in keys), row["percentile"]): row
        for row in ratios.iter_rows(named=True)
    }
    return Table(
        "Times the selected configuration takes of a branch's time",
        ["against", "mode", "callers", "calls", *(f"p{one}" for one in percentiles)],
        [
            [
                group["baseline"],
                group["mode"],
                _said("callers", group["callers"]),
                cell(group["calls"]),
                *(
                    _figure(found.get((*(group[key] for key in keys), p)), "ratio")
                    for p in percentiles
                ),
            ]
            for group in groups.iter_rows(named=True)
        ],
        note="Ratios of percentiles over calls of the same queries, taken in turns in one run; in "
        "brackets bounds at α of a bootstrap over pairs of calls. Recorded milliseconds are only "
        "ever divided by recorded ones, and have no bounds.",
    )


def _cost(cost: pl.DataFrame) -> Table:
    known = {
        (row["system"], row["source"], row["quantity"]): row["value"]
        for row in cost.iter_rows(named=True)
    }
    groups = cost.select("system", "source", "queries").unique().sort("system", "source")
    return Table(
        "What a query asks for, means",
        ["system", "source", "queries", *_WORDS.values()],
        [
            [system, _SOURCES[source], cell(queries), *_asked(known, system, source)]
            for system, source, queries in groups.rows()
        ],
        note="Every branch stands as if it were served alone. Context tokens are words and "
        "punctuation marks of the documents' titles and texts; a generator's own tokenizer cuts "
        "finer.",
    )


def _asked(known: dict[tuple[str, str, str], float], system: str, source: str) -> Iterator[Cell]:
    for quantity in _WORDS:
        found = known.get((system, source, quantity))
        yield cell(MISSING if found is None else f"{found:.4g}")
