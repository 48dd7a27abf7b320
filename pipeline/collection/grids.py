"""Tables that people keep: CSV as spreadsheets write it, and spreadsheets themselves."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from pipeline.collection.lines import file_bytes
from pipeline.collection.problems import Problems
from pipeline.collection.sheet_extent import refuse_far_sheets
from pipeline.errors import InputError, MissingError

SHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
SEPARATORS = ",;\t|"
LONGEST = 1 << 30  # characters of one cell that the csv module lets pass

Cell = object
"""A text, or what a spreadsheet holds instead: a number, a truth value, a date."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table with a header.

    Args:
        names: the header, blanks around each name taken off.
        rows: line number and cells of each row that is not blank, as many cells as names.
    """

    names: Sequence[str]
    rows: Sequence[tuple[int, Sequence[Cell]]]


def is_grid(path: Path) -> bool:
    """Whether the name says CSV or a spreadsheet."""
    name = path.name.lower().removesuffix(".gz")
    return name.endswith((".csv", *SHEETS))


def read_grid(path: Path, problems: Problems, *, sheet: str | None = None) -> Grid:
    """Reads a table; the first row that is not blank is its header.

    CSV is UTF-8 with or without a byte order mark, parted by comma, semicolon, tab or bar,
    whichever the header has most of; quoted cells may hold line ends.

    Args:
        path: .csv (may be gzipped), .xlsx, .xls, .xlsb or .ods.
        problems: takes rows that are longer than the header.
        sheet: the sheet of a spreadsheet; its only one where None.

    Raises:
        MissingError: the file is not there, or the package that reads spreadsheets is not.
        InputError: no UTF-8, no CSV, no spreadsheet, no such sheet, or names that repeat.
    """
    if path.name.lower().endswith(SHEETS):
        numbered = _sheet_rows(path, sheet)
    elif sheet is not None:
        raise InputError("a file without sheets", where=path, found=f"--sheet {sheet}")
    else:
        numbered = _csv_rows(path)
    return _grid(path, iter(numbered), problems)


def _grid(path: Path, numbered: Iterator[tuple[int, Sequence[Cell]]], problems: Problems) -> Grid:
    header = next(((line, cells) for line, cells in numbered if not _blank(cells)), None)
    if header is None:
        raise InputError("no table", where=path, found="no header", expected="a row of names")
    names = _names(path, *header)
    rows: list[tuple[int, Sequence[Cell]]] = []
    for line, cells in numbered:
        if _blank(cells):
            continue
        if not _blank(cells[len(names) :]):
            problems.add(
                path,
                "more cells than the header has names",
                line=line,
                found=len(cells),
                expected=len(names),
            )
            continue
        padding = [""] * (len(names) - len(cells))
        rows.append((line, [*cells[: len(names)], *padding]))
    return Grid(names, rows)


def _names(path: Path, line: int, cells: Sequence[Cell]) -> list[str]:
    names = [str(cell).strip() for cell in cells]
    while names and not names[-1]:
        names.pop()
    repeated = sorted({name for name in names if name and names.count(name) > 1})
    if repeated:
        raise InputError(
            "columns of one name",
            where=f"{path}:{line}",
            found=", ".join(repeated[:3]),
            expected="each name once",
            next_command="rename one of them",
        )
    return names


def _blank(cells: Sequence[Cell]) -> bool:
    return all(isinstance(cell, str) and not cell.strip() for cell in cells)


def _csv_rows(path: Path) -> list[tuple[int, Sequence[Cell]]]:
    try:
        text = file_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise InputError(
            "not UTF-8",
            where=path,
            found=problem.reason,
            expected="CSV in UTF-8",
            next_command='save it as "CSV UTF-8"',
        ) from problem
    separator = _separator(text)
    before = csv.field_size_limit(LONGEST)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[tuple[int, Sequence[Cell]]] = []
    started = 1
    try:
        for cells in table:
            if rows or cells != ["sep=", ""]:  # what Excel writes for itself
                rows.append((started, cells))
            started = table.line_num + 1
    except csv.Error as problem:
        raise InputError(
            "not CSV",
            where=f"{path}:{started}",  # where the row begins: an open quote runs to the file's end
            found=problem,
            expected="cells that hold quotes to be quoted, quotes in them doubled",
        ) from problem
    finally:
        csv.field_size_limit(before)
    return rows


def _separator(text: str) -> str:
    first = next((line.strip() for line in text.split("\n") if line.strip()), "")
    if first.lower().startswith("sep=") and first[4:] in tuple(SEPARATORS):
        return first[4:]
    return max(SEPARATORS, key=lambda sign: _fields(first, sign))


def _fields(header: str, separator: str) -> int:
    """How many cells a header has; separators inside quotes part nothing."""
    try:
        return len(next(csv.reader([header], delimiter=separator), []))
    except csv.Error:
        return 0


def _sheet_rows(path: Path, sheet: str | None) -> list[tuple[int, Sequence[Cell]]]:
    calamine = _calamine(path)
    file_bytes(path)  # names a file that is not there, or a folder
    refuse_far_sheets(path)
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        name = _chosen(path, book.sheet_names, sheet)
        cells: list[list[Cell]] = book.get_sheet_by_name(name).to_python(skip_empty_area=False)
    except (calamine.CalamineError, OSError, ValueError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            "not a spreadsheet that can be read",
            where=path,
            found=problem,
            expected=", ".join(SHEETS),
            next_command="save it as .xlsx or CSV UTF-8",
        ) from problem
    return list(enumerate(cells, start=1))


def _chosen(path: Path, names: Sequence[str], sheet: str | None) -> str:
    if sheet is None and len(names) == 1:
        return names[0]
    if sheet is None or sheet not in names:
        raise InputError(
            "several sheets" if sheet is None else "no such sheet",
            where=path,
            found=", ".join(names) or "none",
            expected="one of them" if sheet is None else sheet,
            next_command="--sheet NAME",
        )
    return sheet


def _calamine(path: Path) -> Any:
    try:
        return import_module("python_calamine")
    except ModuleNotFoundError as problem:
        raise MissingError(
            "what reads spreadsheets is not installed",
            where=path,
            expected="the package python-calamine",
            next_command="pip install 'rankgate[spreadsheets]', or save it as CSV UTF-8",
        ) from problem
