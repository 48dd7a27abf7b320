"""The points that dev cannot tell from the grid's best, in words: how wide the choice lies open."""

from collections.abc import Iterator

import polars as pl

from pipeline.fusion import METHODS
from pipeline.report.numbers import count

WEIGHT, DEPTH = "weight_", "depth_"


def tied_points(points: pl.DataFrame) -> Iterator[tuple[str, str]]:
    """For each method with tied points: how many of how many, and from where to where they reach.

    A range is that of the tied points' own values on one axis; not every point within all ranges
    need be tied.

    Args:
        points: see `grid_points`.

    Yields:
        Name and words.
    """
    for (method,), of_method in points.sort("method").group_by("method", maintain_order=True):
        tied = of_method.filter("tied")
        if tied.height:
            name = METHODS[str(method)].title
            reach = "; ".join(_reaches(tied, of_method))
            said = f"{tied.height} of {count(of_method.height, 'point')}"
            yield f"tied: {name}", f"{said}: {reach}" if reach else said


def _reaches(tied: pl.DataFrame, every: pl.DataFrame) -> Iterator[str]:
    """The axes along which the method was tried, in the order of the columns."""
    for column in every.columns:
        tried = every[column].drop_nulls()
        if _name(column) and tried.n_unique() > 1:
            yield f"{_name(column)} {_reach(tied[column].drop_nulls().unique().sort().to_list())}"


def _name(column: str) -> str:
    if column == "rank_constant":
        return "k"
    if column.startswith(WEIGHT):
        return f"weight of {column.removeprefix(WEIGHT)}"
    return f"depth of {column.removeprefix(DEPTH)}" if column.startswith(DEPTH) else ""


def _reach(values: list[float]) -> str:
    first, last = (f"{round(value, 4):g}" for value in (values[0], values[-1]))
    return first if first == last else f"{first} to {last}"
