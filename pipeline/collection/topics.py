"""Queries in other people's forms: TREC topics, a table of id and text, BEIR's JSON Lines."""

import html
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.collection.beir import read_beir_queries
from pipeline.collection.jsonl import json_lines
from pipeline.collection.lines import is_json_lines, numbered_lines
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.rows import Rows

_BLOCK = re.compile(r"<(top|topic)\b([^>]*)>(.*?)</\1>", re.DOTALL | re.IGNORECASE)
_OPENING = re.compile(r"<(?:top|topic)\b[^>]*>", re.IGNORECASE)
_NUMBER_ATTRIBUTE = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']+)["']""", re.IGNORECASE)
_LABEL = re.compile(r"^(?:number|topic|title)\s*:\s*", re.IGNORECASE)
_HEADERS = {"query_id", "query-id", "qid"}


def read_any_queries(path: Path, problems: Problems) -> Rows:
    """Reads queries in the form that the file has.

    Args:
        path: native or BEIR JSON Lines (by the name, then by `_id`), TREC topics (by a first
            line that opens a tag), else id and text parted by a tab.
        problems: takes what cannot be read.

    Returns:
        The queries, each id once, in the file's order.
    """
    rows = FORMS[_form(path)](path, problems)
    if not rows.kept and not len(problems):
        problems.add(path, "no queries", found="an empty file", expected="at least one")
    return rows


def read_table(path: Path, problems: Problems) -> Rows:
    """Reads id and text parted by one tab; quotation marks are part of the text."""
    rows = Rows("query_id")
    for number, line in numbered_lines(path):
        fields = _decoded(path, number, line, problems).split("\t")
        if number == 1 and fields[0] in _HEADERS:
            continue
        if len(fields) != 2 or not fields[0]:
            problems.add(
                path,
                "not a query",
                line=number,
                found=f"{len(fields)} fields",
                expected="id and text parted by one tab",
            )
            continue
        rows.keep(path, number, {"query_id": fields[0], "text": fields[1]}, problems)
    return rows


def read_topics(path: Path, problems: Problems) -> Rows:
    """Reads TREC topics: <top> with unclosed tags, or <topic> with number as attribute or tag."""
    lines = list(numbered_lines(path))
    text = "\n".join(_decoded(path, number, line, problems) for number, line in lines)
    line_of = [number for number, _ in lines]
    rows = Rows("query_id")
    blocks = list(_BLOCK.finditer(text))
    if len(blocks) != len(_OPENING.findall(text)) or not blocks:
        problems.add(
            path,
            "not a dialect of TREC topics that is known",
            found=f"{len(_OPENING.findall(text))} topics begin, {len(blocks)} end",
            expected="<top>...</top> or <topic>...</topic>",
        )
    for block in blocks:
        line = line_of[text.count("\n", 0, block.start())]
        number, title = _topic(block)
        if number is None or title is None:
            problems.add(
                path,
                "a topic without number or title",
                line=line,
                found=number,
                expected="both",
            )
            continue
        rows.keep(path, line, {"query_id": number, "text": title}, problems)
    return rows


def _topic(block: re.Match[str]) -> tuple[str | None, str | None]:
    attributes, body = block.group(2), block.group(3)
    attribute = _NUMBER_ATTRIBUTE.search(attributes)
    number = attribute.group(1) if attribute else _tag(body, "num", "number")
    title = _tag(body, "title", "query")
    if title is None and "<" not in body:
        title = _clean(body)
    return number, title


def _tag(body: str, *names: str) -> str | None:
    """What follows a tag until the next one, without TREC's own label."""
    for name in names:
        found = re.search(rf"<{name}\b[^>]*>([^<]*)", body, re.IGNORECASE)
        if found and _clean(found.group(1)):
            return _clean(found.group(1))
    return None


def _clean(text: str) -> str:
    return _LABEL.sub("", " ".join(html.unescape(text).split()))


def _decoded(path: Path, number: int, line: bytes, problems: Problems) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as problem:
        problems.add(path, "not UTF-8", line=number, found=problem.reason, expected="UTF-8 text")
        return line.decode("utf-8", "replace")


def _form(path: Path) -> str:
    if is_json_lines(path):
        first: Iterator[tuple[int, dict[str, object]]] = json_lines(path, Problems(path))
        return "beir" if "_id" in next(first, (0, {}))[1] else "native"
    opening = next((line for _, line in numbered_lines(path)), b"")
    return "topics" if opening.lstrip().startswith(b"<") else "table"


FORMS: Mapping[str, Callable[[Path, Problems], Rows]] = {
    "native": lambda path, problems: read_queries(path, problems)[0],
    "beir": read_beir_queries,
    "topics": read_topics,
    "table": read_table,
}
