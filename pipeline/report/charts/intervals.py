"""Dot and interval: how far, and how sure."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.report.charts.canvas import WIDTH, axes, draw, label
from pipeline.report.charts.palette import GAIN, INK, LOSS, MUTED, OPEN, RULE
from pipeline.report.numbers import signed

ROW = 24.0
MARGIN_TOP, MARGIN_BOTTOM = 8.0, 36.0
LETTER = 5.8  # points; a name's margin is reckoned from its letters, not measured


@dataclass(frozen=True, slots=True)
class Span:
    """One row: a difference with its bounds.

    Args:
        name: whom with.
        delta: the difference; None where it is not known.
        low: L.
        high: U.
    """

    name: str
    delta: float | None
    low: float | None
    high: float | None


def intervals(
    name: str,
    spans: Sequence[Span],
    *,
    title: str,
    axis: str,
    limit: float = 0.0,
    better: bool = True,
) -> str:
    """A dot for each difference and a line from L to U.

    Args:
        name: unique on the page.
        spans: rows, from the top.
        title: what it is.
        axis: what the horizontal axis counts.
        limit: drawn dashed where it is not 0.
        better: whether more is a gain.

    Returns:
        Inline SVG.
    """

    def paint(figure: Any) -> None:
        drawn = axes(figure, left=_gutter(spans), right=56, top=MARGIN_TOP, bottom=MARGIN_BOTTOM)
        _rows(drawn, spans, limit, better)
        _frame(drawn, spans, axis, limit)

    said = "; ".join(_said(span) for span in spans)
    height = MARGIN_TOP + MARGIN_BOTTOM + ROW * len(spans)
    return draw(name, title=title, description=said, height=height, paint=paint)


def _gutter(spans: Sequence[Span]) -> float:
    longest = max((len(label(span.name)) for span in spans), default=0)
    return min(LETTER * longest + 12, WIDTH * 0.38)


def _rows(drawn: Any, spans: Sequence[Span], limit: float, better: bool) -> None:
    for place, span in enumerate(reversed(spans)):
        colour = _colour(span, limit, better)
        if span.low is not None and span.high is not None:
            drawn.plot([span.low, span.high], [place, place], color=colour, linewidth=3, alpha=0.55)
        if span.delta is not None:
            drawn.plot([span.delta], [place], "o", color=colour, markersize=7)
        drawn.text(
            1.02,
            place,
            signed(span.delta),
            transform=drawn.get_yaxis_transform(),
            va="center",
            fontsize=9,
        )


def _frame(drawn: Any, spans: Sequence[Span], axis: str, limit: float) -> None:
    drawn.axvline(0, color=MUTED, linewidth=1, zorder=0)
    if limit:
        drawn.axvline(limit, color=INK, linewidth=1, linestyle=(0, (4, 3)), zorder=0)
    drawn.set_yticks(range(len(spans)), [label(span.name) for span in reversed(spans)])
    drawn.tick_params(axis="y", length=0, labelcolor=INK)
    drawn.set_ylim(-0.6, len(spans) - 0.4)
    drawn.locator_params(axis="x", nbins=5)
    drawn.grid(axis="x", color=RULE, linewidth=0.6)
    drawn.set_axisbelow(True)
    drawn.spines["left"].set_visible(False)
    drawn.set_xlabel(axis, fontsize=9)


def _colour(span: Span, limit: float, better: bool) -> str:
    if span.low is None or span.high is None:
        return MUTED
    if span.low > limit:
        return GAIN if better else LOSS
    if span.high < limit:
        return LOSS if better else GAIN
    return OPEN


def _said(span: Span) -> str:
    return f"{span.name} {signed(span.delta)} (L {signed(span.low)}, U {signed(span.high)})"
