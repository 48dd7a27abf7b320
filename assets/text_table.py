"""A small table in the terminal."""

from collections.abc import Sequence

from pipeline.printable import printable


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Lines: rows under their columns, each as wide as it needs."""
    cells = [list(columns), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(columns))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]


def _cell(value: object) -> str:
    if value is None:
        return "-"
    # As wide as it will be shown, so that the columns stay columns.
    return f"{value:.6g}" if isinstance(value, float) else printable(str(value))
