"""Cells that a spreadsheet leaves as they are: no formula is run, no id becomes a number.

A cell that a spreadsheet would read as anything but text gets a leading apostrophe, and loses
it when it comes back.
"""

import re

GUARD = "'"
# A cell's limit in common spreadsheets is 32,767 characters; what is cut is marked.
LIMIT = 30_000
CUT = " […]"

_FORMULA = (*"=+-@\t\r\n|%＝＋－＠", GUARD)
# Short cells that begin with a digit, name a month and a number, or are a truth value.
_NUMBER_OR_DATE = re.compile(
    r"\s*(?:[\d.,:/].{0,20}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*[-/. ]?\d+"
    r"|true|false)\s*",
    re.IGNORECASE,
)


def guarded(cell: str) -> str:
    """The cell as it is written."""
    short = cell if len(cell) <= LIMIT else cell[: LIMIT - len(CUT)] + CUT
    risky = short.lstrip(" \u00a0").startswith(_FORMULA) or _NUMBER_OR_DATE.fullmatch(short)
    return GUARD + short if risky else short


def unguarded(cell: str) -> str:
    """The cell as it was meant."""
    return cell[1:] if cell.startswith(GUARD) else cell


def same_cell(one: str, other: str) -> bool:
    """Whether two cells say the same; spreadsheets change line ends and blanks."""
    return _plain(one) == _plain(other)


def _plain(cell: str) -> str:
    return " ".join(cell.replace("\u00a0", " ").split())
