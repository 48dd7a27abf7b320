"""Ratings in the lines that learning to rank uses: GRADE qid:QUERY # DOCUMENT, then the text."""

import re
from pathlib import Path

from pipeline.collection.jsonl import shown
from pipeline.collection.lines import numbered_lines
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Rating

# Features may stand between; Quepid parts document and text by a semicolon or a blank.
_LINE = re.compile(
    r"\s*([-+]?[0-9]{1,15})(?:\.0+)?\s+qid:(\S+)(?:\s+[0-9]+:\S+)*\s+#\s*([^\s;]+);?(?:\s+(.*))?"
)
_BEGIN = re.compile(rb"\s*[-+]?[0-9.]+\s+qid:")


def is_rating_lines(path: Path) -> bool:
    """Whether the first line reads `GRADE qid:…`."""
    first = next((line for _, line in numbered_lines(path)), b"")
    return _BEGIN.match(first) is not None


def line_ratings(path: Path, problems: Problems) -> list[Rating]:
    """Reads `GRADE qid:QUERY [features] # DOCUMENT [text]`, as Quepid exports it for LTR."""
    ratings = []
    for number, line in numbered_lines(path):
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as problem:
            problems.add(path, "not UTF-8", line=number, found=problem.reason)
            continue
        found = _LINE.fullmatch(text)
        if found is None:
            problems.add(
                path,
                "not a rating",
                line=number,
                found=shown(text),
                expected="GRADE qid:QUERY # DOCUMENT",
            )
            continue
        said = (found[4] or "").strip().removeprefix('"').removesuffix('"')
        ratings.append(Rating(number, found[3], int(found[1]), found[2], said or None))
    return ratings
