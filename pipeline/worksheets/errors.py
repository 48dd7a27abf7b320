"""Worksheets for error analysis: each lost evidence with its stage, and room for the cause."""

import csv
import io
from pathlib import Path

import polars as pl

from pipeline.clearance import WITHHELD
from pipeline.storage import write_text
from pipeline.worksheets.cells import guarded

PAIR = ("query_id", "evidence_id")
# The last two are empty: the cause in the reader's words, and a note.
COLUMNS = (
    "split",
    "query_id",
    "query",
    "evidence_id",
    "system",
    "against",
    "grade",
    "lost_at",
    "branch",
    "depth",
    "depth_needed",
    "fused_rank",
    "final_rank",
    "against_rank",
    "cause",
    "note",
)


def error_rows(
    diagnosis: pl.DataFrame,
    queries: pl.DataFrame,
    hidden: pl.DataFrame,
) -> pl.DataFrame:
    """The rows of a worksheet for error analysis.

    Args:
        diagnosis: DIAGNOSIS.
        queries: QUERIES, for their texts.
        hidden: `query_id, evidence_id` that the query's principal may not see: shown `withheld`.

    Returns:
        COLUMNS; sorted by split, query, system, rival and evidence.
    """
    marked = hidden.select(PAIR).unique().with_columns(secret=pl.lit(True))
    rows = (
        diagnosis.sort("split", "query_id", "system", "against", "evidence_id")
        .join(queries.select("query_id", query="text"), on="query_id", how="left")
        .join(marked, on=PAIR, how="left", maintain_order="left")
    )
    shown = pl.when("secret").then(pl.lit(WITHHELD)).otherwise("evidence_id").alias("evidence_id")
    blank = [pl.lit("").alias(name) for name in ("cause", "note")]
    return rows.with_columns(shown, *blank).select(COLUMNS)


def write_errors(path: Path, rows: pl.DataFrame) -> None:
    """Writes the rows as CSV, whole, in cells that a spreadsheet leaves as they are."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.columns)
    for row in rows.iter_rows():
        writer.writerow("" if cell is None else guarded(str(cell)) for cell in row)
    write_text(path, text.getvalue())
