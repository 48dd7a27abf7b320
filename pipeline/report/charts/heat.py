"""A grid of two axes as a map: the higher the value, the stronger the cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.report.charts.canvas import axes, draw
from pipeline.report.charts.palette import HEAT, TIED, heat_step
from pipeline.report.numbers import value

ROW = 22.0
WRITTEN = 12  # columns up to which the values stand in the cells


@dataclass(frozen=True, slots=True)
class Spot:
    """One cell.

    Args:
        column: its place on the horizontal axis.
        row: its place on the vertical axis.
        value: what is shown.
        tied: whether dev cannot tell it from the best.
        selected: whether it is the frozen one.
    """

    column: int
    row: int
    value: float
    tied: bool
    selected: bool


def heat(
    name: str,
    spots: Sequence[Spot],
    *,
    columns: Sequence[str],
    rows: Sequence[str],
    title: str,
    axis: tuple[str, str],
    reach: tuple[float, float],
) -> str:
    """A map of cells.

    Args:
        name: unique on the page.
        spots: the cells there are.
        columns: labels of the horizontal axis.
        rows: labels of the vertical axis, from the top.
        title: what it is.
        axis: what the horizontal and the vertical axis are.
        reach: the lowest and the highest value of the scale.

    Returns:
        Inline SVG: tied cells have a border, the selected one a star.
    """

    def paint(figure: Any) -> None:
        drawn = axes(figure, left=44, right=4, top=8, bottom=38)
        for spot in spots:
            _cell(drawn, spot, reach, written=len(columns) <= WRITTEN)
        drawn.set_xlim(-0.5, len(columns) - 0.5)
        drawn.set_ylim(len(rows) - 0.5, -0.5)
        _ticks(drawn.set_xticks, columns)
        _ticks(drawn.set_yticks, rows)
        drawn.tick_params(length=0)
        for spine in drawn.spines.values():
            spine.set_visible(False)
        drawn.set_xlabel(axis[0], fontsize=9)
        drawn.set_ylabel(axis[1], fontsize=9)

    height = ROW * len(rows) + 46
    return draw(
        name, title=title, description=_said(spots, columns, rows), height=height, paint=paint
    )


def _cell(drawn: Any, spot: Spot, reach: tuple[float, float], *, written: bool) -> None:
    from matplotlib.patches import Rectangle

    step = heat_step(spot.value, *reach)
    corner = (spot.column - 0.47, spot.row - 0.46)
    border: Mapping[str, Any] = (
        {"edgecolor": TIED, "linewidth": 2.4} if spot.tied else {"linewidth": 0}
    )
    drawn.add_patch(Rectangle(corner, 0.94, 0.92, facecolor=HEAT[step], **border))
    text = value(spot.value, 3).lstrip("0") if written else ""
    if spot.selected:
        text = f"★{text}" if written else "★"
    if text:
        # Classes are the page's business: it writes dark on light steps, light on dark ones.
        drawn.text(
            spot.column, spot.row, text, ha="center", va="center", fontsize=8, gid=f"on-{step}"
        )


def _ticks(put: Any, labels: Sequence[str]) -> None:
    every = -(-len(labels) // WRITTEN)
    places = range(0, len(labels), every)
    put(list(places), [labels[place] for place in places])


def _said(spots: Sequence[Spot], columns: Sequence[str], rows: Sequence[str]) -> str:
    best = max(spots, key=lambda spot: (spot.value, -spot.row, -spot.column))
    chosen = next((spot for spot in spots if spot.selected), None)
    said = (
        f"{len(spots)} points; best {value(best.value)} at {rows[best.row]}, {columns[best.column]}"
    )
    tied = sum(spot.tied for spot in spots)
    said += f"; {tied} tied with the grid's best"
    if chosen is not None:
        said += f"; selected {value(chosen.value)} at {rows[chosen.row]}, {columns[chosen.column]}"
    return said
