"""TREC's files: runs of six columns, qrels of four; fields are parted by ASCII blanks."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl

from pipeline.collection.jsonl import shown
from pipeline.collection.lines import numbered_lines
from pipeline.collection.problems import Problems
from pipeline.errors import ParameterError
from pipeline.recorded import RecordedRun
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN

COMMENT = b"#"
MOST = 2**53  # whole numbers up to here survive every format on the way
RUN_COLUMNS = "6 columns: query Q0 document rank score tag"
QRELS_COLUMNS = "4 columns: query iteration document grade"

# How many columns a line may have, given how many it should.
TRAILING: Mapping[str, Callable[[int, int], bool]] = {
    "reject": lambda found, expected: found == expected,
    "ignore": lambda found, expected: found >= expected,
}


def columns_rule(trailing: str) -> Callable[[int, int], bool]:
    """The rule for words after the last column: `reject` or `ignore`."""
    if trailing not in TRAILING:
        raise ParameterError(
            "no such trailing", where="trailing", found=trailing, expected="reject or ignore"
        )
    return TRAILING[trailing]


def read_trec_run(path: Path, problems: Problems, *, trailing: str = "reject") -> RecordedRun:
    """Reads a TREC run; the tag is dropped, the rank column kept but not believed.

    Args:
        path: the file; `#` as a line's first character makes it a comment.
        problems: takes every line that is not a result.
        trailing: what to do with words after the sixth column.

    Returns:
        The run; `position` is the line number.
    """
    rule = columns_rule(trailing)
    rows: list[tuple[str, int, int, str, float]] = []
    for number, line in numbered_lines(path):
        if line.startswith(COMMENT):
            continue
        fields = line.split()
        if not rule(len(fields), 6):
            problems.add(
                path,
                "wrong number of columns",
                line=number,
                found=len(fields),
                expected=RUN_COLUMNS,
                next_command=_hint(len(fields), 6),
            )
            continue
        query, document = _ids(path, number, problems, fields[0], fields[2])
        rank = _number(path, number, problems, "rank", fields[3], whole)
        score = _number(path, number, problems, "score", fields[4], real)
        rows.append((query, number, int(rank), document, score))
    results = pl.DataFrame(rows, schema=dict(RECORDED_RUN.columns), orient="row")
    return RecordedRun(results, _answered(results))


def read_trec_qrels(
    path: Path, problems: Problems, *, trailing: str = "reject"
) -> list[tuple[int, str, str, int]]:
    """Reads TREC qrels: line number, query, evidence, grade of each line.

    Args:
        path: the file; `#` as a line's first character makes it a comment.
        problems: takes every line that is not a judgment.
        trailing: what to do with words after the fourth column.
    """
    rule = columns_rule(trailing)
    rows: list[tuple[int, str, str, int]] = []
    for number, line in numbered_lines(path):
        if line.startswith(COMMENT):
            continue
        fields = line.split()
        if not rule(len(fields), 4):
            problems.add(
                path,
                "wrong number of columns",
                line=number,
                found=len(fields),
                expected=QRELS_COLUMNS,
                next_command=_hint(len(fields), 4),
            )
            continue
        query, evidence = _ids(path, number, problems, fields[0], fields[2])
        grade = _number(path, number, problems, "grade", fields[3], whole)
        rows.append((number, query, evidence, int(grade)))
    return rows


def whole(text: bytes) -> int:
    """A whole number; no underscores, no decimal point."""
    value = int(text)
    if b"_" in text or not -MOST <= value <= MOST:
        raise ValueError(text)
    return value


def real(text: bytes) -> float:
    """A finite number with a decimal point, not a comma."""
    value = float(text)
    if b"_" in text or not math.isfinite(value):
        raise ValueError(text)
    return value


_EXPECTED = {"rank": "a whole number", "grade": "a whole number", "score": "a finite number"}


def _number(
    path: Path,
    line: int,
    problems: Problems,
    name: str,
    text: bytes,
    parse: Callable[[bytes], float],
) -> float:
    try:
        return parse(text)
    except ValueError:
        problems.add(
            path,
            f"the {name} is not a number that can be used",
            line=line,
            found=shown(text.decode("utf-8", "replace")),
            expected=_EXPECTED[name],
        )
        return 0


def _ids(path: Path, line: int, problems: Problems, *ids: bytes) -> list[str]:
    try:
        return [raw.decode("utf-8") for raw in ids]
    except UnicodeDecodeError as problem:
        problems.add(path, "not UTF-8", line=line, found=problem.reason, expected="UTF-8 text")
        return [raw.decode("utf-8", "replace") for raw in ids]


def _hint(found: int, expected: int) -> str | None:
    """What to do about a line that is too long; a run's ranks must not be taken for grades."""
    if (found, expected) == (6, 4):
        return "name the judgments; these are as many columns as a run has"
    return "trailing: ignore (--trailing ignore)" if found > expected else None


def _answered(results: pl.DataFrame) -> pl.DataFrame:
    empty = {name: pl.lit(None, kind) for name, kind in RECORDED_QUERIES.columns.items()}
    return (
        results.select("query_id")
        .unique()
        .sort("query_id")
        .with_columns(**{**empty, "query_id": pl.col("query_id"), "status": pl.lit("ok")})
        .select(list(RECORDED_QUERIES.columns))
    )
