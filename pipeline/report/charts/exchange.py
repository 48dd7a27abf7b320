"""What is bought at what price: quality up, cost to the right, one mark for each choice."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.report.charts.canvas import axes, draw
from pipeline.report.charts.palette import ACCENT, BAND, INK, MUTED, RULE
from pipeline.report.numbers import value

HEIGHT = 190.0


@dataclass(frozen=True, slots=True)
class Offer:
    """One choice.

    Args:
        name: what stands beside its mark.
        cost: what it costs.
        quality: what it gives.
        low: the lower bound of the cost; None where it has none.
        high: the upper bound.
        selected: whether it is the selected configuration's.
    """

    name: str
    cost: float
    quality: float
    low: float | None = None
    high: float | None = None
    selected: bool = False


def exchange(
    name: str,
    offers: Sequence[Offer],
    *,
    title: str,
    axis: str,
    measure: str,
    limit: float | None = None,
) -> str:
    """Quality against cost, the choices joined in their order.

    Args:
        name: unique on the page.
        offers: in the order that joins them.
        title: what it is.
        axis: what the cost is counted in.
        measure: what is measured.
        limit: the declared limit of the cost, drawn as a dashed line.

    Returns:
        Inline SVG: bands are the bounds of the cost, the star is the selected configuration.
    """

    def paint(figure: Any) -> None:
        drawn = axes(figure, left=52, right=30, top=14, bottom=36)
        for one in offers:
            if one.low is not None and one.high is not None:
                drawn.hlines(one.quality, one.low, one.high, color=BAND, linewidth=6)
        if limit is not None:
            drawn.axvline(limit, color=INK, linewidth=1, linestyle="--")
        costs, qualities = [one.cost for one in offers], [one.quality for one in offers]
        drawn.plot(costs, qualities, "-o", color=ACCENT, markersize=4, linewidth=1.2)
        for one in offers:
            if one.selected:
                drawn.plot([one.cost], [one.quality], "*", color=INK, markersize=11)
            drawn.annotate(
                one.name,
                (one.cost, one.quality),
                xytext=(4, 5),
                textcoords="offset points",
                fontsize=8,
                color=MUTED,
            )
        drawn.margins(x=0.08, y=0.18)
        drawn.locator_params(axis="both", nbins=5)
        drawn.grid(color=RULE, linewidth=0.6)
        drawn.set_axisbelow(True)
        drawn.set_xlabel(axis, fontsize=9)
        drawn.set_ylabel(measure, fontsize=9)

    said = "; ".join(f"{one.name}: {value(one.quality)} at {one.cost:.4g}" for one in offers)
    if limit is not None:
        said += f"; the limit is {limit:g}"
    return draw(name, title=title, description=said, height=HEIGHT, paint=paint)
