"""Ids of examples, and their text where the study says that it may be shown."""

from collections.abc import Sequence

import polars as pl

from pipeline.params import Params
from pipeline.report.stored import Stored
from pipeline.systems import HELD_OUT

FIRST = 3
LETTERS = 160


def query_text(
    queries: pl.DataFrame, query_ids: Sequence[str], *, params: Params
) -> dict[str, str]:
    """The text of queries; nothing unless `report.text` is true."""
    if not params.report.text:
        return {}
    rows = queries.filter(pl.col("query_id").is_in(list(query_ids)))
    return {name: short(text or "") for name, text in rows.select("query_id", "text").iter_rows()}


def first_documents(stored: Stored, system: str, query_id: str) -> str:
    """The first documents of the list that was measured, by id.

    With title or text where `report.text` is true. Under crossfit an open test measures the
    held-out list, where the system has one.
    """
    held_out = f"{system}{HELD_OUT}"
    measured = held_out if held_out in stored.runs["system"] else system
    rows = stored.runs.filter(
        (pl.col("system") == measured)
        & (pl.col("query_id") == query_id)
        & (pl.col("rank") <= FIRST)
    ).sort("rank")
    names = rows["doc_id"].to_list()
    if not stored.params.report.text:
        return ", ".join(names)
    texts = _document_text(stored, names)
    return "; ".join(f"{name} {texts.get(name, '')}".strip() for name in names)


def _document_text(stored: Stored, doc_ids: Sequence[str]) -> dict[str, str]:
    rows = stored.documents.filter(pl.col("doc_id").is_in(list(doc_ids)))
    return {
        name: short(title or text or "")
        for name, title, text in rows.select("doc_id", "title", "text").iter_rows()
    }


def short(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= LETTERS else line[: LETTERS - 1] + "…"
