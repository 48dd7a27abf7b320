"""Every system on every measure."""

import polars as pl

from pipeline.measures import parse_measure
from pipeline.report.blocks import Block, Cell, Paragraph, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, p_value, signed, value
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED

ROLES = ("selected", "branch", "baseline", "comparator", "ablation", "diagnostic")


def systems(stored: Stored) -> Section:
    """Means of all systems, further comparisons, traffic, and what nothing can answer."""
    blocks: list[Block] = []
    for side in stored.sides:
        blocks += [_means(stored, side), *_shares(stored, side), *_other_measures(stored, side)]
        blocks += [*_traffic(stored, side), *_unanswerable(stored, side)]
    return Section(
        "systems",
        "Every system, every measure",
        "What does each system reach, and what could have been reached?",
        blocks or [Paragraph("Nothing was measured: no judged query on an open side.")],
    )


def _means(stored: Stored, side: str) -> Table:
    rows = stored.systems.filter(pl.col("split") == side)
    measures, undefined = _measures(stored, rows)
    named = {(row["system"], row["measure"]): row for row in rows.to_dicts()}
    roles = dict(rows.select("system", "role").unique().iter_rows())
    order = sorted(roles, key=lambda name: (ROLES.index(roles[name]), name))
    return Table(
        f"Means on {side}",
        ["system", "role", *measures],
        [
            [
                Cell(name, "chosen" if name == SELECTED else ""),
                roles[name],
                *(cell(value(named.get((name, one), {}).get("value"))) for one in measures),
            ]
            for name in order
        ],
        note=f"{undefined}Diagnostic: made with the labels, never up for release. "
        + measure_note(stored, measures, side=side),
    )


def _measures(stored: Stored, rows: pl.DataFrame) -> tuple[list[str], str]:
    """Those that have a value for any system, the primary one first; and what the others lack."""
    known = set(rows.filter(pl.col("value").is_not_null())["measure"])
    measures = sorted(known, key=lambda name: (name != stored.measure, name))
    undefined = sorted(set(rows["measure"]) - known)
    said = f"Undefined for every query here: {', '.join(undefined)}. " if undefined else ""
    return measures, said


def _shares(stored: Stored, side: str) -> list[Block]:
    rows = stored.systems.filter(
        (pl.col("split") == side) & (pl.col("role") != "diagnostic")
    ).drop_nulls("value")
    rows = rows.sort("measure", "system")
    shown = [row for row in rows.iter_rows(named=True) if parse_measure(row["measure"]).is_share]
    if not shown:
        return []
    return [
        Table(
            f"Shares of queries with their bounds, {side}",
            ["system", "measure", "share", "L", "U", "queries", "groups"],
            [
                [
                    Cell(row["system"], "chosen" if row["system"] == SELECTED else ""),
                    row["measure"],
                    *(cell(value(row[key])) for key in ("value", "low", "high")),
                    cell(row["queries"]),
                    cell(row["groups"]),
                ]
                for row in shown
            ],
            note="Exact (Clopper–Pearson) where every group is one query, else at the effective "
            "number of queries. " + measure_note(stored, {r["measure"] for r in shown}, side=side),
            folded=True,
        )
    ]


def _other_measures(stored: Stored, side: str) -> list[Block]:
    rows = stored.comparisons.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("split") == side)
        & (pl.col("slice") == "")
        & pl.col("baseline").is_in(stored.rivals)
        & (pl.col("measure") != stored.measure)
    ).sort("baseline", "measure")
    if rows.is_empty():
        return []
    return [
        Table(
            f"Differences to branches and production on the other measures, {side}",
            ["baseline", "measure", "delta", "L", "U", "wins", "losses", "ties", "exact p"],
            [
                [
                    row["baseline"],
                    row["measure"],
                    *(cell(signed(row[key])) for key in ("delta", "low", "high")),
                    *(cell(row[key]) for key in ("wins", "losses", "ties")),
                    cell(p_value(row["p_paired"])),
                ]
                for row in rows.iter_rows(named=True)
            ],
            note="A win is the better value: of ZeroHit the lower one. Exact p: paired, two-sided, "
            "of shares of queries, groups turned round whole. "
            + measure_note(stored, sorted(set(rows["measure"])), side=side),
            folded=True,
        )
    ]


def _traffic(stored: Stored, side: str) -> list[Block]:
    weighted = (stored.evaluation_summary.get(side) or {}).get("weighted") or {}
    if not weighted:
        return []
    return [
        Table(
            f"The same by traffic: {stored.measure} on {side}, queries counted by their weight",
            ["baseline", "value", "delta", "L", "U"],
            [
                [
                    name,
                    cell(value(row.get("value"))),
                    *(cell(signed(row.get(key))) for key in ("delta", "low", "high")),
                ]
                for name, row in sorted(weighted.items())
            ],
            note=measure_note(stored, [stored.measure], side=side),
        )
    ]


def _unanswerable(stored: Stored, side: str) -> list[Block]:
    figures = (stored.evaluation_summary.get(side) or {}).get("for_unanswerable") or {}
    if not figures:
        return []
    cutoff = stored.params.context.depth
    return [
        Table(
            f"Queries declared unanswerable, {side}",
            ["system", "answered by nothing", f"known irrelevant in the top {cutoff}"],
            [
                [
                    name,
                    cell(f"{row['answered_by_nothing']:.1%}"),
                    cell(f"{row['known_irrelevant']:.1%}"),
                ]
                for name, row in sorted(figures.items())
            ],
            note="These queries are in no ranking mean.",
        )
    ]
