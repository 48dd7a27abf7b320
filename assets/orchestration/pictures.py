"""A small picture of a stage's summary table, drawn with matplotlib, shown by Dagster's page."""

import base64
import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import dagster as dg

ROWS = 12  # a picture, not a table: the rest is in the table below it
WIDTH, ROW_HEIGHT, MARGIN = 5.2, 0.24, 0.45  # inches
CLEAR, OPEN, BAD = "#2f855a", "#b7791f", "#c53030"
BAR, REST = "#2b6cb0", "#cbd5e0"
COLOURS = {"pass": CLEAR, "not_applicable": REST, "fail": BAD}  # any other state: OPEN


@dataclass(frozen=True, slots=True)
class Bars:
    """Which columns of a stage's summary table are drawn.

    Args:
        label: columns that name a row.
        value: the column of the bars' length; None: the numeric column after the labels.
        whole: a column that `value` is a part of.
        low: a column of the lower end of an interval around `value`.
        high: the same for the upper end.
        state: a column whose word is the colour; then there is no length.
    """

    label: Sequence[str]
    value: str | None = None
    whole: str | None = None
    low: str | None = None
    high: str | None = None
    state: str | None = None


# Stage to what is drawn of it; the others' figures are of different kinds, a table shows them.
PICTURES: Mapping[str, Bars] = {
    "splits": Bars(("side", "fold"), "queries"),
    "candidates": Bars(("status",), "queries"),
    "pool": Bars(("kind",), "judged", whole="pairs"),
    "sweep": Bars(("configuration",), "value"),
    "selection": Bars(("what",)),
    "evaluation": Bars(("split", "system"), "delta", low="low", high="high"),
    "operations": Bars(("fault", "split"), "delta"),
    "decision": Bars(("gate",), state="status"),
}


def picture(stage: str, summary: Mapping[str, Any]) -> dg.MetadataValue[Any] | None:
    """A stage's picture as an image in Markdown; None where there is nothing to draw.

    Args:
        stage: its name.
        summary: its summary, with a table of `columns` and `rows`.
    """
    bars, table = PICTURES.get(stage), summary.get("table")
    if bars is None or not table:
        return None
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    value = bars.value or next((c for c in table["columns"] if _is_figure(rows, c)), None)
    drawn = [row for row in rows if bars.state or _number(row.get(value or "")) is not None][:ROWS]
    if not drawn:
        return None
    image = base64.b64encode(_svg(drawn, bars, value or "").encode()).decode()
    return dg.MetadataValue.md(f"![{stage}](data:image/svg+xml;base64,{image})")


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value == value else None


def _is_figure(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    return any(_number(row[column]) is not None for row in rows)


def _svg(rows: Sequence[Mapping[str, Any]], bars: Bars, value: str) -> str:
    # Imported here: only the pages' process draws.
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: Any = {"svg.fonttype": "none", "svg.hashsalt": "rankgate", "text.parse_math": False}
    with mpl.rc_context(rc=style), warnings.catch_warnings():
        # A letter that the font lacks is only measured with it; the browser draws it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(WIDTH, MARGIN + ROW_HEIGHT * len(rows)), layout="constrained")
        canvas: Any = FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        _paint(axes, rows, bars, value)
        written = io.StringIO()
        canvas.print_svg(written, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return written.getvalue()


def _paint(axes: Any, rows: Sequence[Mapping[str, Any]], bars: Bars, value: str) -> None:
    places = range(len(rows))
    names = [" ".join(str(row[c]) for c in bars.label if row.get(c) is not None) for row in rows]
    axes.set_yticks(places, [_short(name) for name in names], fontsize=8)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="x", labelsize=8)
    if bars.state:
        _paint_states(axes, rows, bars.state)
        return
    if bars.whole:
        axes.barh(places, [_number(row[bars.whole]) or 0 for row in rows], color=REST)
    lengths = [_number(row[value]) or 0.0 for row in rows]
    axes.barh(places, lengths, color=[BAR if length >= 0 else BAD for length in lengths])
    for place, row in zip(places, rows, strict=True):
        low, high = (_number(row.get(end or "")) for end in (bars.low, bars.high))
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color="black", linewidth=1)
    axes.set_xlabel(value if not bars.whole else f"{value} of {bars.whole}", fontsize=8)


def _paint_states(axes: Any, rows: Sequence[Mapping[str, Any]], column: str) -> None:
    axes.set_xlim(0, 4)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    for place, row in enumerate(rows):
        state = str(row[column])
        axes.barh([place], [1], color=COLOURS.get(state, OPEN))
        axes.text(1.1, place, state, va="center", fontsize=8)


def _short(name: str, longest: int = 40) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
