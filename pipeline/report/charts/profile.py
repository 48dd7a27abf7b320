"""How high the grid reaches along one of its axes: range, best, and where the ties lie."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.report.charts.canvas import axes, draw
from pipeline.report.charts.palette import ACCENT, BAND, INK, RULE, TIED
from pipeline.report.numbers import value

HEIGHT = 170.0


@dataclass(frozen=True, slots=True)
class Step:
    """The points at one place of an axis.

    Args:
        name: the place.
        low: the lowest value there.
        high: the highest.
        tied: whether any point there is tied with the grid's best.
        selected: the selected configuration's value, where it lies there.
    """

    name: str
    low: float
    high: float
    tied: bool
    selected: float | None


def profile(
    name: str,
    steps: Sequence[Step],
    *,
    title: str,
    axis: str,
    measure: str,
    ordered: bool = True,
    better: bool = True,
) -> str:
    """A band from the lowest to the highest value at each place of an axis.

    Args:
        name: unique on the page.
        steps: places, in the axis' order.
        title: what it is.
        axis: what the axis is.
        measure: what is measured.
        ordered: whether places lie on a scale, so that a line may join them.
        better: whether more of the measure is better; else the line is the lowest value.

    Returns:
        Inline SVG: the line is the best at each place, ringed where tied with the grid's best;
        the star is the selected configuration.
    """
    places = list(range(len(steps)))

    def paint(figure: Any) -> None:
        drawn = axes(figure, left=52, right=10, top=10, bottom=36)
        lows, highs = [step.low for step in steps], [step.high for step in steps]
        drawn.vlines(places, lows, highs, color=BAND, linewidth=8)
        line = "-o" if ordered else "o"
        best = highs if better else lows
        drawn.plot(places, best, line, color=ACCENT, markersize=4, linewidth=1.4)
        tied = [place for place in places if steps[place].tied]
        drawn.plot(
            tied,
            [best[place] for place in tied],
            "o",
            color=TIED,
            markersize=9,
            fillstyle="none",
            markeredgewidth=2,
        )
        for place in places:
            if steps[place].selected is not None:
                drawn.plot([place], [steps[place].selected], "*", color=INK, markersize=11)
        _frame(drawn, steps, axis, measure)

    said = "; ".join(f"{step.name}: {value(step.low)} to {value(step.high)}" for step in steps)
    return draw(name, title=title, description=said, height=HEIGHT, paint=paint)


def _frame(drawn: Any, steps: Sequence[Step], axis: str, measure: str) -> None:
    every = -(-len(steps) // 11)
    shown = range(0, len(steps), every)
    drawn.set_xticks(list(shown), [steps[place].name for place in shown])
    drawn.set_xlim(-0.5, len(steps) - 0.5)
    drawn.locator_params(axis="y", nbins=5)
    drawn.grid(axis="y", color=RULE, linewidth=0.6)
    drawn.set_axisbelow(True)
    drawn.set_xlabel(axis, fontsize=9)
    drawn.set_ylabel(measure, fontsize=9)
