"""Queries in other people's forms: TREC topics, tables of id and text, BEIR's JSON Lines."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.collection.beir import read_beir_queries
from pipeline.collection.jsonl import json_lines
from pipeline.collection.lines import is_json_lines, numbered_lines
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.rows import Rows
from pipeline.collection.topic_tags import read_topics

_HEADERS = {"query_id", "query-id", "qid"}
_NUMBERED = re.compile(rb"[0-9]+:[^\t]+")


def read_any_queries(path: Path, problems: Problems) -> Rows:
    """Reads queries in the form that the file has.

    Args:
        path: native or BEIR JSON Lines (by the name, then by `_id`), TREC topics (by a first
            line that opens a tag), NUMBER:TEXT as the Web and Million Query tracks have it (by
            the first line), else id and text parted by a tab.
        problems: takes what cannot be read.

    Returns:
        The queries, each id once, in the file's order.
    """
    rows = FORMS[_form(path)](path, problems)
    if not rows.kept and not len(problems):
        problems.add(path, "no queries", found="an empty file", expected="at least one")
    return rows


def read_query_texts(path: Path) -> dict[str, str | None]:
    """Query id to text, or None where a query has none, in the file's order.

    Args:
        path: as in `read_any_queries`.

    Raises:
        MissingError: no such file.
        CollectionError: lines that cannot be read.
    """
    problems = Problems(path)
    rows = read_any_queries(Path(path), problems)
    problems.raise_if_any()
    return {query: row.get("text") for query, row in rows.kept.items()}


def read_table(path: Path, problems: Problems) -> Rows:
    """Reads id and text parted by one tab; quotation marks are part of the text."""
    return _read_pairs(path, problems, "\t", "id and text parted by one tab")


def read_numbered(path: Path, problems: Problems) -> Rows:
    """Reads NUMBER:TEXT; further colons are part of the text."""
    return _read_pairs(path, problems, ":", "NUMBER:TEXT on every line")


def _read_pairs(path: Path, problems: Problems, sign: str, expected: str) -> Rows:
    rows = Rows("query_id")
    most = 1 if sign == ":" else -1
    for place, (number, line) in enumerate(numbered_lines(path)):
        fields = _decoded(path, number, line, problems).split(sign, most)
        if place == 0 and fields[0].lower() in _HEADERS:
            continue
        if len(fields) != 2 or not fields[0]:
            found = f"{len(fields)} fields" if len(fields) != 2 else "no id"
            problems.add(path, "not a query", line=number, found=found, expected=expected)
            continue
        rows.keep(path, number, {"query_id": fields[0], "text": fields[1]}, problems)
    return rows


def _decoded(path: Path, number: int, line: bytes, problems: Problems) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        problems.add(path, "not UTF-8", line=number, found=problem.reason, expected="UTF-8 text")
        return line.decode("utf-8", "replace")


def _read_tagged(path: Path, problems: Problems) -> Rows:
    lines = [
        (number, _decoded(path, number, line, problems)) for number, line in numbered_lines(path)
    ]
    return read_topics(path, lines, problems)


def _form(path: Path) -> str:
    if is_json_lines(path):
        first: Iterator[tuple[int, dict[str, object]]] = json_lines(path, Problems(path))
        return "beir" if "_id" in next(first, (0, {}))[1] else "native"
    opening = next((line for _, line in numbered_lines(path)), b"")
    if opening.lstrip().startswith(b"<"):
        return "topics"
    return "numbered" if _NUMBERED.fullmatch(opening) else "table"


FORMS: Mapping[str, Callable[[Path, Problems], Rows]] = {
    "native": lambda path, problems: read_queries(path, problems)[0],
    "beir": read_beir_queries,
    "topics": _read_tagged,
    "numbered": read_numbered,
    "table": read_table,
}
