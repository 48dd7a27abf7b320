"""TREC topics, whatever their dialect: tags closed or not, the number a tag or an attribute."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.collection.problems import Problems
from pipeline.collection.rows import Rows

# No quantified part may cross a "<": each character is looked at once, however broken the file.
_EDGE = re.compile(r"<(/?)(top|topic|query)\b([^<>]*)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""(?<![\w-])(?:number|num|id)\s*=\s*["']([^"'<>]+)["']""", re.IGNORECASE)
_TAG = re.compile(r"<([a-z]+)\b[^<>]*>([^<]*)", re.IGNORECASE)
_LABEL = re.compile(r"(?:number|topic|title)\s*:\s*", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)

NUMBERS = ("num", "number", "qid")
TITLES = ("title", "query", "content")


@dataclass(frozen=True, slots=True)
class _Block:
    """One topic: where it begins, the attributes of its tag, what it holds."""

    start: int
    attributes: str
    body: str


def read_topics(path: Path, lines: Iterable[tuple[int, str]], problems: Problems) -> Rows:
    """Reads TREC topics: number and title (or query) of each.

    Known are `<top>` with `<num>` and `<title>` closed or not, with the labels "Number:",
    "Topic:" and "Title:" taken off (ad hoc, Robust, HARD, Microblog), `<topic number="…">` with
    `<query>` or `<title>` or bare text (Web, TREC-COVID, Clinical Trials), `<topic>` with
    `<number>`, and NTCIR's `<query><qid><content>`.

    Args:
        path: the file, for messages.
        lines: its lines with their numbers.
        problems: takes topics without number or title, and what is no known dialect.
    """
    numbered = list(lines)
    text = "\n".join(line for _, line in numbered)
    starts = _starts(numbered)
    rows = Rows("query_id")
    blocks, torn = _blocks(text)
    for place in torn:
        problems.add(
            path,
            "not a dialect of TREC topics that is known",
            line=_line(place, starts),
            found="a topic that does not begin or does not end",
            expected="<top>...</top> or <topic>...</topic>",
            next_command="write id and text parted by a tab, one query on a line",
        )
    for block in blocks:
        number, title = _topic(block)
        if number is None or title is None:
            problems.add(
                path,
                "a topic without number or title",
                line=_line(block.start, starts),
                found=f"number {number}, {'no title' if title is None else 'a title'}",
                expected="both",
                next_command="write id and text parted by a tab, one query on a line",
            )
            continue
        row = {"query_id": number, "text": title}
        rows.keep(path, _line(block.start, starts), row, problems)
    return rows


def _starts(numbered: list[tuple[int, str]]) -> list[tuple[int, int]]:
    """Offset in the joined text, and number in the file, of each line."""
    starts, offset = [], 0
    for number, line in numbered:
        starts.append((offset, number))
        offset += len(line) + 1
    return starts


def _line(offset: int, starts: list[tuple[int, int]]) -> int:
    return starts[bisect_right(starts, (offset, 1 << 62)) - 1][1] if starts else 1


def _blocks(text: str) -> tuple[list[_Block], list[int]]:
    """The topics, and the offsets of edges that have no counterpart."""
    blocks: list[_Block] = []
    torn: list[int] = []
    opening: re.Match[str] | None = None
    for edge in _edges(text):
        if edge[1] and opening is not None and edge[2].lower() == opening[2].lower():
            blocks.append(_Block(opening.start(), opening[3], text[opening.end() : edge.start()]))
            opening = None
        elif edge[1] or opening is not None:
            torn.append(edge.start())
        else:
            opening = edge
    if opening is not None or not (blocks or torn):
        torn.append(opening.start() if opening is not None else 0)
    return blocks, torn


def _edges(text: str) -> Iterator[re.Match[str]]:
    """Opening and closing tags of topics; `query` is one only where no other name is."""
    edges = list(_EDGE.finditer(text))
    tops = [edge for edge in edges if edge[2].lower() != "query"]
    return iter(tops or edges)


def _topic(block: _Block) -> tuple[str | None, str | None]:
    fields: dict[str, str] = {}
    for tag in _TAG.finditer(block.body):
        fields.setdefault(tag[1].lower(), _clean(tag[2]))
    attribute = _ATTRIBUTE.search(block.attributes)
    number = _clean(attribute[1]) if attribute else _first(fields, NUMBERS)
    title = _first(fields, TITLES)
    if title is None and "<" not in block.body:
        title = _clean(block.body)
    return number or None, title or None


def _first(fields: dict[str, str], names: tuple[str, ...]) -> str | None:
    return next((fields[name] for name in names if fields.get(name)), None)


def _clean(text: str) -> str:
    """Blanks folded, TREC's own label off, entities as the characters they name."""
    folded = " ".join(text.split())
    label = _LABEL.match(folded)
    bare = folded[label.end() :] if label else folded
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), bare)
