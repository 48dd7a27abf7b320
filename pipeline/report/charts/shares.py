"""Parts of a whole as bars."""

from collections.abc import Sequence
from typing import Any

from pipeline.report.charts.canvas import WIDTH, axes, draw, label
from pipeline.report.charts.palette import ACCENT, INK

ROW = 24.0


def shares(name: str, parts: Sequence[tuple[str, int]], *, title: str, unit: str) -> str:
    """A bar for each part, with its count and its share.

    Args:
        name: unique on the page.
        parts: (name, count), from the top.
        title: what it is.
        unit: what is counted.

    Returns:
        Inline SVG.
    """
    whole = sum(count for _, count in parts) or 1

    def paint(figure: Any) -> None:
        longest = max(len(label(part)) for part, _ in parts)
        drawn = axes(figure, left=min(5.8 * longest + 12, WIDTH * 0.4), right=84, top=4, bottom=4)
        for place, (_, count) in enumerate(reversed(parts)):
            drawn.barh(place, count, height=0.62, color=ACCENT)
            said = f" {count:,} ({count / whole:.0%})"
            drawn.text(count, place, said, va="center", fontsize=9)
        drawn.set_yticks(range(len(parts)), [label(part) for part, _ in reversed(parts)])
        drawn.tick_params(axis="y", length=0, labelcolor=INK)
        drawn.set_xlim(0, max(count for _, count in parts) or 1)
        drawn.set_ylim(-0.6, len(parts) - 0.4)
        drawn.xaxis.set_visible(False)
        drawn.spines[["left", "bottom"]].set_visible(False)

    said = "; ".join(f"{part}: {count} {unit}" for part, count in parts)
    return draw(name, title=title, description=said, height=ROW * len(parts) + 8, paint=paint)
