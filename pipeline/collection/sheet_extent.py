"""How far a workbook's sheets reach: its reader takes memory for every cell up to the last one."""

import re
import zipfile
import zlib
from pathlib import Path

from pipeline.errors import InputError

MOST_CELLS = 1 << 25  # a gigabyte of them
BEGINNING = 4096  # bytes of a sheet, among which it says how far it reaches
# What Python says of an archive that is none, torn, locked, or packed in a way of its own.
BROKEN = (OSError, EOFError, RuntimeError, ValueError, zlib.error, zipfile.BadZipFile)
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")
_EXTENT = re.compile(rb'<dimension ref="([A-Z]{1,3})([0-9]{1,7}):([A-Z]{1,3})([0-9]{1,7})"')


def refuse_far_sheets(path: Path) -> None:
    """Refuses a workbook with a stray cell so far out that reading it would end the process.

    Args:
        path: the file; what is no workbook of .xlsx's form is left to its reader.

    Raises:
        InputError: a sheet reaches over more cells than memory has room for.
    """
    for name, extent in _extents(path):
        if _cells(*extent.groups()) > MOST_CELLS:
            raise InputError(
                "a sheet with a cell far away from its table",
                where=path,
                found=f"{name} reaches to {(extent[3] + extent[4]).decode()}",
                expected=f"at most {MOST_CELLS:,} cells, empty ones counted",
                next_command="delete what stands behind the table, or save it as CSV UTF-8",
            )


def _extents(path: Path) -> list[tuple[str, re.Match[bytes]]]:
    """Sheet and its extent, as far as it says; nothing of what is broken: its reader tells."""
    try:
        with zipfile.ZipFile(path) as book:
            names = filter(_SHEET.fullmatch, book.namelist())
            found = [(name, _EXTENT.search(_beginning(book, name))) for name in names]
    except BROKEN:
        return []
    return [(name, extent) for name, extent in found if extent is not None]


def _beginning(book: zipfile.ZipFile, name: str) -> bytes:
    with book.open(name) as sheet:
        return sheet.read(BEGINNING)


def _cells(left: bytes, top: bytes, right: bytes, bottom: bytes) -> int:
    return (int(bottom) - int(top) + 1) * (_column(right) - _column(left) + 1)


def _column(letters: bytes) -> int:
    """A column's number: A is 1, Z 26, AA 27."""
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
