"""Worksheets as files: JSON Lines for tools, CSV for spreadsheets."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from pipeline.errors import InputError, MissingError, ParameterError
from pipeline.storage import read_lines, write_text
from pipeline.worksheets.blind import COLUMNS, WorksheetRow
from pipeline.worksheets.cells import guarded, unguarded

NEEDED = ("query_id", "evidence_id", "grade")

Answers = list[tuple[int, dict[str, str]]]
"""Line number and cells of each row that came back."""


def worksheet_name(assessor: str, suffix: str) -> str:
    """The file name of an assessor's worksheet.

    Raises:
        ParameterError: the assessor's name cannot be part of a file name.
    """
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", assessor):
        raise ParameterError(
            "not an assessor's name",
            where="assessor",
            found=repr(assessor),
            expected="letters, digits, and _ . - after the first",
        )
    return f"{assessor}.{suffix}"


def write_worksheet(path: Path, rows: Iterable[WorksheetRow]) -> None:
    """Writes a worksheet in the format of its suffix, whole.

    Raises:
        ParameterError: neither .jsonl nor .csv.
    """
    write_text(path, FORMATS[_format(path)][0](list(rows)))


def read_worksheet(path: Path) -> Answers:
    """Reads a worksheet that came back.

    Returns:
        Line number and cells of each row; cells are text, absent ones empty.

    Raises:
        MissingError: the file is not there.
        InputError: not UTF-8, not in its format, or without the needed columns.
        ParameterError: neither .jsonl nor .csv.
    """
    reading = FORMATS[_format(path)][1]
    if not path.exists():
        raise MissingError(
            "the worksheet is not there",
            where=path,
            next_command="rankgate judge export --assessor NAME",
        )
    try:
        return reading(path)
    except UnicodeDecodeError as problem:
        raise InputError("not UTF-8", where=path, found=problem, expected="UTF-8") from problem


def _format(path: Path) -> str:
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise ParameterError(
            "no such worksheet format",
            where=path,
            found=path.suffix or "no suffix",
            expected=" or ".join(f".{known}" for known in FORMATS),
        )
    return suffix


def _to_jsonl(rows: list[WorksheetRow]) -> str:
    return "".join(json.dumps(row.cells(), ensure_ascii=False) + "\n" for row in rows)


def _from_jsonl(path: Path) -> Answers:
    numbered = [
        number
        for number, line in enumerate(path.read_bytes().decode("utf-8").split("\n"), start=1)
        if line.strip()
    ]
    lines = read_lines(path)
    for number, line in zip(numbered, lines, strict=True):
        _refuse_missing(set(line), f"{path}:{number}")
    return [
        (number, {name: _text(line.get(name)) for name in COLUMNS})
        for number, line in zip(numbered, lines, strict=True)
    ]


def _text(value: Any) -> str:
    if value is None:
        return ""
    # A grade may come back as a number; everything else is text already.
    return value if isinstance(value, str) else json.dumps(value)


def _to_csv(rows: list[WorksheetRow]) -> str:
    written = io.StringIO()
    # The byte order mark makes spreadsheets read UTF-8.
    written.write("\ufeff")
    table = csv.writer(written, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        table.writerow([guarded(cell) for cell in row.cells().values()])
    return written.getvalue()


def _from_csv(path: Path) -> Answers:
    content = path.read_bytes().decode("utf-8-sig")
    header = content.partition("\n")[0]
    # Spreadsheets of half the world separate by semicolon.
    separator = max(",;\t", key=header.count)
    table = csv.reader(io.StringIO(content, newline=""), delimiter=separator, strict=True)
    try:
        names = [name.strip().lower() for name in next(table, [])]
        _refuse_missing(set(names), path)
        answers: Answers = []
        started = table.line_num + 1
        for cells in table:
            named = dict(zip(names, cells, strict=False))
            if any(cell.strip() for cell in cells):
                answers.append((started, {n: unguarded(named.get(n, "")) for n in COLUMNS}))
            started = table.line_num + 1
    except csv.Error as problem:
        raise InputError("not CSV", where=f"{path}:{table.line_num}", found=problem) from problem
    return answers


def _refuse_missing(names: set[str], where: object) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise InputError(
            f"columns are missing: {', '.join(missing)}",
            where=where,
            found=", ".join(sorted(names)) or "none",
            expected=", ".join(COLUMNS),
        )


_Write = Callable[[list[WorksheetRow]], str]
_Read = Callable[[Path], Answers]
FORMATS: Mapping[str, tuple[_Write, _Read]] = {
    "jsonl": (_to_jsonl, _from_jsonl),
    "csv": (_to_csv, _from_csv),
}
