"""Every query's difference, sorted: the gains, the ties and the losses at a glance."""

from collections.abc import Sequence
from typing import Any

from pipeline.report.charts.canvas import axes, draw
from pipeline.report.charts.palette import GAIN, INK, LOSS, MUTED, RULE
from pipeline.report.numbers import signed

HEIGHT = 190.0


def gains(name: str, differences: Sequence[float], *, title: str, better: bool = True) -> str:
    """A bar for each query, the largest difference first.

    Args:
        name: unique on the page.
        differences: one for each query.
        title: what it is.
        better: whether more is a gain.

    Returns:
        Inline SVG.
    """
    ordered = sorted(differences, reverse=True)
    up, down = (GAIN, LOSS) if better else (LOSS, GAIN)

    def paint(figure: Any) -> None:
        drawn = axes(figure, left=44, right=8, top=10, bottom=34)
        edges = range(len(ordered) + 1)
        for colour, part in ((up, _above(ordered)), (down, _below(ordered))):
            drawn.fill_between(edges, [*part, part[-1]], step="post", color=colour, linewidth=0)
        mean = sum(ordered) / len(ordered)
        drawn.axhline(mean, color=INK, linewidth=1, linestyle=(0, (4, 3)))
        drawn.axhline(0, color=MUTED, linewidth=1)
        drawn.set_xlim(0, len(ordered))
        drawn.set_ylim(*_reach(ordered))
        drawn.grid(axis="y", color=RULE, linewidth=0.6)
        drawn.set_axisbelow(True)
        drawn.locator_params(axis="y", nbins=5)
        drawn.locator_params(axis="x", nbins=6, integer=True)
        drawn.set_xlabel("queries, sorted; dashed: the mean", fontsize=9)

    return draw(name, title=title, description=_said(ordered), height=HEIGHT, paint=paint)


def _above(ordered: Sequence[float]) -> list[float]:
    return [max(each, 0.0) for each in ordered]


def _below(ordered: Sequence[float]) -> list[float]:
    return [min(each, 0.0) for each in ordered]


def _reach(ordered: Sequence[float]) -> tuple[float, float]:
    least = 0.05  # a chart of ties is flat, not magnified
    return min(ordered[-1], -least) * 1.08, max(ordered[0], least) * 1.08


def _said(ordered: Sequence[float]) -> str:
    above, below = sum(each > 0 for each in ordered), sum(each < 0 for each in ordered)
    return (
        f"{len(ordered)} queries: {above} above zero, {below} below, "
        f"{len(ordered) - above - below} at zero; from {signed(ordered[-1])} "
        f"to {signed(ordered[0])}"
    )
