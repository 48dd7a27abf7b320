"""How much of what is shown has been judged, and what the pool is made of."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.report.blocks import Block, Paragraph, Section, Table
from pipeline.report.numbers import cell, share
from pipeline.report.stored import Stored

KINDS = {
    "exact_terms": "names an exact code",
    "paraphrase": "shares few terms with its evidence, or is declared so",
    "branches_agree": "the branches' first items are mostly the same",
    "branches_disagree": "they are mostly not",
    "filtered": "principal or date kept documents from it",
    "nothing_relevant": "declared unanswerable, or nothing relevant found",
}


def coverage(stored: Stored) -> Section:
    """Judged shares by system and cutoff, states of queries, composition of the pool."""
    blocks = [*_shares(stored), *_states(stored), *_composition(stored)]
    return Section(
        "coverage",
        "Coverage of judgments",
        "Is enough judged, and about equally much for each system?",
        blocks or [Paragraph("Nothing was pooled.")],
    )


def _shares(stored: Stored) -> list[Block]:
    if stored.coverage.is_empty():
        return []
    cutoffs = sorted(stored.coverage["cutoff"].unique())
    known = {
        (row["split"], row["system"], row["cutoff"]): _share(row)
        for row in stored.coverage.iter_rows(named=True)
    }
    rows = sorted({(split, system) for split, system, _ in known})
    return [
        Table(
            "Judged share of what each pooled system returns",
            ["system", "side", *(f"top {cutoff}" for cutoff in cutoffs)],
            [
                [system, split, *(cell(known.get((split, system, c), "–")) for c in cutoffs)]
                for split, system in rows
            ],
            note="Judged items over returned items, summed over queries; in brackets one-sided "
            "bounds by query group. This counts judgments and reads no grade, so it is shown of a "
            "sealed test too.",
        )
    ]


def _share(row: Mapping[str, Any]) -> str:
    told = share(row["judged"], row["returned"])
    if row["low"] is None:
        return told
    return f"{told} ({row['low']:.0%} to {row['high']:.0%})"


def _states(stored: Stored) -> list[Block]:
    shown = ("queries", "ranked", "unanswerable", "no_relevant", "no_judgments", "relevant")
    sides = {
        side: figures
        for side in ("dev", "test")
        if "ranked" in (figures := stored.evaluation_summary.get(side) or {})
    }
    if not sides:
        return []
    return [
        Table(
            "Which queries enter the means, and how much of the pool is judged",
            ["side", *(name.replace("_", " ") for name in shown), "pooled pairs", "judged"],
            [
                [
                    side,
                    *(cell(figures[name]) for name in shown),
                    cell(sum(figures["pool"].values())),
                    cell(share(figures["pool"]["judged"], sum(figures["pool"].values()))),
                ]
                for side, figures in sides.items()
            ],
            note="Only ranked queries (answerable, with judged relevant evidence) enter means of "
            "rankings.",
        )
    ]


def _composition(stored: Stored) -> list[Block]:
    if stored.composition.is_empty():
        return []
    rows = stored.composition.sort(pl.col("kind"))
    return [
        Table(
            "What the pool is made of, by kind of query",
            ["kind", "which", "queries", "pairs", "judged", "share"],
            [
                [
                    row["kind"].replace("_", " "),
                    KINDS.get(row["kind"], ""),
                    cell(row["queries"]),
                    cell(row["pairs"]),
                    cell(row["judged"]),
                    cell(share(row["judged"], row["pairs"])),
                ]
                for row in rows.iter_rows(named=True)
            ],
            note="A query may be of several kinds.",
        )
    ]
