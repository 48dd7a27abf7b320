"""Diagnosis: which stage lost what was missed, and what was lost to a rival."""

from collections.abc import Iterator

import polars as pl

from pipeline.report.blocks import Block, Paragraph, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, share
from pipeline.report.stored import SIDES, Stored
from pipeline.systems import SELECTED
from pipeline.tables import LOST_AT

MEANINGS = {
    "corpus": "no document carries it",
    "filter": "the principal may see none of its documents, or the filter left nothing",
    "candidates": "no fused branch returned it within its depth: no weight promotes it",
    "collapse": "another evidence of its source stands for it",
    "fusion": "a branch or the rival had it higher, and fusion pushed it down",
    "rerank": "the reranker was handed it and ranks it lower",
    "context": "ranked, but neither fusion nor any branch had it in the context",
    "judgment": "only unjudged evidence is in its way: judge that first",
}


def diagnosis(stored: Stored) -> Section:
    """Counts by stage, and the depth that would have found what was never fetched."""
    blocks = [block for side in SIDES for block in _side(stored, side)]
    return Section(
        "diagnosis",
        "Diagnosis",
        "Which stage lost the evidence that is missing, and the queries that were lost?",
        blocks or [Paragraph("Nothing wanted is missing on an open side.")],
    )


def _side(stored: Stored, side: str) -> Iterator[Block]:
    rows = stored.diagnosis.filter(pl.col("split") == side)
    if rows.is_empty():
        return
    yield _stages(stored, side, rows)
    deeper = rows.filter(
        (pl.col("lost_at") == "candidates")
        & (pl.col("against") == "")
        & (pl.col("system") == SELECTED)
    )
    if not deeper.is_empty():
        yield _depths(side, deeper)


def _stages(stored: Stored, side: str, rows: pl.DataFrame) -> Table:
    kinds = rows.select("system", "against").unique().sort("system", "against", descending=True)
    columns = sorted(kinds.rows(), key=lambda kind: (kind[1] != "", kind[0] != SELECTED, kind))
    counts = {
        (system, against, lost_at): number
        for system, against, lost_at, number in rows.group_by("system", "against", "lost_at")
        .len()
        .iter_rows()
    }
    met = [stage for stage in LOST_AT if any((*kind, stage) in counts for kind in columns)]
    return Table(
        f"Lost evidence by the stage that lost it, {side}",
        ["stage", *(_heading(*kind) for kind in columns), "meaning"],
        [
            [stage, *(cell(counts.get((*kind, stage), 0)) for kind in columns), MEANINGS[stage]]
            for stage in met
        ],
        note=f"Missed: relevant or required, and not in the first {stored.params.context.depth}. "
        f"Lost to a rival: on queries where the rival's {stored.measure} is better, evidence that "
        "it ranks higher within the cutoff. Each row of data/evaluation/diagnosis.parquet names "
        "one; traces.parquet has its rank at every stage. "
        + measure_note(stored, [stored.measure], side=side),
    )


def _heading(system: str, against: str) -> str:
    who = "missed" if against == "" else f"lost to {against}"
    return who if system == SELECTED else f"{who} ({system})"


def _depths(side: str, rows: pl.DataFrame) -> Table:
    """By the branch that would have found it first."""
    named = rows.with_columns(pl.col("branch").fill_null("in no list, however deep it is known"))
    found = named.group_by("branch").agg(
        pl.len().alias("evidence"),
        pl.col("depth_needed").min().alias("least"),
        pl.col("depth_needed").median().alias("median"),
        pl.col("depth_needed").max().alias("most"),
    )
    return Table(
        f"Never fetched: the depth that would have found it, {side}",
        ["branch", "evidence", "share", "least depth", "median", "greatest"],
        [
            [
                row["branch"],
                cell(row["evidence"]),
                cell(share(row["evidence"], rows.height)),
                *(cell(_whole(row[name])) for name in ("least", "median", "most")),
            ]
            for row in found.sort("branch").iter_rows(named=True)
        ],
        note="A branch's list is known as deep as it was read; a recorded run to its end.",
    )


def _whole(number: float | None) -> str:
    return "–" if number is None else f"{number:,.0f}"
