"""Rows with an id: gathered once each, then made into a table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipeline.collection.problems import Problems
from pipeline.tables import Table

Row = dict[str, Any]


@dataclass(slots=True)
class Rows:
    """Checked rows of one file, each id once, in the file's order.

    Args:
        key: the name of the id.
        kept: id to row.
        lines: id to line number.
        repeated: how many lines said again, word for word, what an earlier one said.
    """

    key: str
    kept: dict[str, Row] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    repeated: int = 0

    def keep(self, path: object, line: int, row: Row, problems: Problems) -> None:
        """Keeps a row; the same id with other content is a problem."""
        name = row[self.key]
        first = self.kept.setdefault(name, row)
        before = self.lines.setdefault(name, line)
        if first is row:
            return
        if first == row:
            self.repeated += 1
            return
        differs = sorted(k for k in first.keys() | row.keys() if first.get(k) != row.get(k))
        problems.add(
            path,
            f"the same {self.key} with different content",
            line=line,
            found=f"{name}, first on line {before}, now with another {', '.join(differs)}",
            expected="each id once",
        )


def table_of(table: Table, rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    """Checked rows as a table, absent fields as nulls, sorted."""
    given = list(rows)
    columns = {
        name: pl.Series(name, [row.get(name) for row in given], dtype=kind)
        for name, kind in table.columns.items()
    }
    return table.check(pl.DataFrame(columns))


def rename(path: object, line: int, row: Row, name: str, other: str, problems: Problems) -> None:
    """Two names of one field become one; both at once are a problem."""
    if other not in row:
        return
    if name in row:
        problems.add(path, f"both {name!r} and {other!r}", line=line, expected="one of them")
    row[name] = row.pop(other)
