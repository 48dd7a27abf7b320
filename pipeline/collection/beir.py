"""BEIR's form: corpus.jsonl, queries.jsonl with `_id`, qrels/SPLIT.tsv."""

from collections import Counter
from pathlib import Path
from typing import Any

from pipeline.collection import checks
from pipeline.collection.documents import with_identity
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row, Rows

_DOCUMENT = Fields(
    {"_id": checks.an_id, "title": checks.a_text, "text": checks.a_text}, required=("_id",)
)
_QUERY = Fields({"_id": checks.an_id, "text": checks.a_text}, required=("_id", "text"))


def read_beir_documents(
    path: Path, problems: Problems, dropped: Counter[str] | None = None
) -> Rows:
    """Reads corpus.jsonl: `_id`, `title`, `text`.

    Args:
        path: plain or gzipped.
        problems: takes what cannot be read.
        dropped: counts the values of every other field, which is left behind.
    """
    rows = _read(path, problems, _DOCUMENT, "doc_id", dropped)
    if not rows.kept and not len(problems):
        problems.add(path, "no documents", found="an empty corpus", expected="at least one line")
    return rows


def read_beir_queries(path: Path, problems: Problems, dropped: Counter[str] | None = None) -> Rows:
    """Reads queries.jsonl: `_id` and `text`."""
    return _read(path, problems, _QUERY, "query_id", dropped)


def _read(
    path: Path, problems: Problems, fields: Fields, key: str, dropped: Counter[str] | None
) -> Rows:
    rows = Rows(key)
    for number, given in json_lines(path, problems):
        row = fields.read(path, number, fields.known(given, dropped), problems)
        if row is not None:
            rows.keep(path, number, _named(row, key), problems)
    return rows


def _named(row: dict[str, Any], key: str) -> Row:
    if not row.get("title"):
        row.pop("title", None)
    named = {key: row.pop("_id"), **row}
    return with_identity(named) if key == "doc_id" else named
