"""A small picture of a stage's summary table, shown by Dagster's page beside its figures.

The page shows Markdown of fewer than a thousand characters where it stands, so the drawing is kept
to the few that bars and names need; a chart library's file is ten times as long.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import dagster as dg

ROWS = 8  # a picture, not a table: the rest is in the table below it
LONGEST = 999  # characters of Markdown; Dagster's page hides longer ones behind a link
ROW_HEIGHT, LABELS, BARS = 12, 112, 160  # pixels
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
    while drawn:
        image = base64.b64encode(_svg(drawn, bars, value or "").encode()).decode()
        text = f"![{stage}](data:image/svg+xml;base64,{image})"
        if len(text) <= LONGEST:
            return dg.MetadataValue.md(text)
        drawn = drawn[:-1]
    return None


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value == value else None


def _is_figure(rows: Sequence[Mapping[str, Any]], column: str) -> bool:
    return any(_number(row[column]) is not None for row in rows)


def _svg(rows: Sequence[Mapping[str, Any]], bars: Bars, value: str) -> str:
    drawn = _states(rows, bars) if bars.state else _lengths(rows, bars, value)
    height = ROW_HEIGHT * len(rows)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{LABELS + BARS}' height='{height}'"
        f" font-family='sans-serif' font-size='9' fill='gray' stroke-width='8'>{drawn}</svg>"
    )


def _states(rows: Sequence[Mapping[str, Any]], bars: Bars) -> str:
    """Each row's name and state, beside a square of the state's colour."""
    states = [str(row[bars.state or ""]) for row in rows]
    names = [f"{_name(row, bars)}: {state}" for row, state in zip(rows, states, strict=True)]
    lines = {
        colour: [
            (place, LABELS, 20)
            for place, state in enumerate(states)
            if COLOURS.get(state, OPEN) == colour
        ]
        for colour in (CLEAR, REST, OPEN, BAD)
    }
    return _texts(names) + "".join(_path(ends, colour) for colour, ends in lines.items())


def _lengths(rows: Sequence[Mapping[str, Any]], bars: Bars, value: str) -> str:
    """Each row's name and a bar from zero, what it is a part of behind it, its interval on it."""
    lengths = [_number(row[value]) or 0.0 for row in rows]
    wholes = [_number(row[bars.whole]) or 0.0 for row in rows] if bars.whole else []
    spans = [
        (place, low, high)
        for place, row in enumerate(rows)
        if (low := _number(row.get(bars.low or ""))) is not None
        and (high := _number(row.get(bars.high or ""))) is not None
    ]
    shown = [0.0, *lengths, *wholes, *(end for _, *ends in spans for end in ends)]
    least, scale = min(shown), BARS / ((max(shown) - min(shown)) or 1.0)

    def ends(place: int, low: float, high: float) -> tuple[int, int, int]:
        return place, round(LABELS + (low - least) * scale), round((high - low) * scale)

    gains = [ends(place, 0.0, each) for place, each in enumerate(lengths) if each > 0]
    losses = [ends(place, 0.0, each) for place, each in enumerate(lengths) if each < 0]
    behind = [ends(place, 0.0, each) for place, each in enumerate(wholes)]
    return (
        _texts([_name(row, bars) for row in rows])
        + _path(behind, REST)
        + _path(gains, BAR)
        + _path(losses, BAD)
        + _path([ends(*span) for span in spans], "gray", " stroke-width='2'")
    )


def _name(row: Mapping[str, Any], bars: Bars) -> str:
    return " ".join(str(row[c]) for c in bars.label if row.get(c) is not None)


def _texts(names: Sequence[str]) -> str:
    lines = (
        f"<text y='{9 + ROW_HEIGHT * n}'>{escape(_short(t))}</text>" for n, t in enumerate(names)
    )
    return "".join(lines)


def _path(ends: Sequence[tuple[int, int, int]], colour: str, more: str = "") -> str:
    """Horizontal lines, each by its row, where it begins and how long it is."""
    steps = "".join(f"M{x} {6 + ROW_HEIGHT * place}h{length}" for place, x, length in ends)
    return f"<path d='{steps}' stroke='{colour}'{more}/>" if steps else ""


def _short(name: str, longest: int = 22) -> str:
    printable = "".join(letter if letter.isprintable() else " " for letter in name)
    return printable if len(printable) <= longest else f"{printable[: longest - 1]}…"
