"""The power curve as SVG: the same bytes for the same figures."""

import io
import re
from collections.abc import Sequence
from typing import Any

from benchmarks.false_ship.power import Power
from pipeline.report.charts.canvas import POINTS_PER_INCH, STYLE, axes

WIDTH, PANEL = 760.0, 190.0
INK, MUTED, RULE = "#1f2933", "#52606d", "#9aa5b1"
COLOURS = {15: "#9aa5b1", 30: "#c2571a", 60: "#1b6ca8", 120: "#1d7a4f"}
# A page on a dark ground must be able to show it, too: the drawing brings its own ground.
GROUND = "#ffffff"


def power_curve(powers: Sequence[Power]) -> str:
    """One panel for each collection: the share of studies that say ship, by the true gain."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    names = list(dict.fromkeys(one.population for one in powers))
    style = STYLE | {
        "text.color": INK,
        "axes.labelcolor": MUTED,
        "axes.edgecolor": RULE,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
    }
    rows = -(-len(names) // 2)
    height = rows * PANEL
    with mpl.rc_context(rc=style):
        figure = Figure(figsize=(WIDTH / POINTS_PER_INCH, height / POINTS_PER_INCH))
        canvas: Any = FigureCanvasSVG(figure)
        figure.patch.set_facecolor(GROUND)
        for place, name in enumerate(names):
            _panel(figure, [one for one in powers if one.population == name], name, place, rows)
        lines, labels = figure.axes[0].get_legend_handles_labels()
        # Five collections leave the sixth place to the legend.
        figure.legend(lines, labels, loc="lower right", bbox_to_anchor=(0.8, 0.1), frameon=False)
        written = io.StringIO()
        canvas.print_svg(written, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    return re.sub(r"[ \t]+\n", "\n", written.getvalue())


def _panel(figure: Any, powers: Sequence[Power], name: str, place: int, rows: int) -> None:
    row, column = divmod(place, 2)
    half = WIDTH / 2
    panel = axes(
        figure,
        left=48 + column * half,
        right=(1 - column) * half + 20,
        top=26 + row * PANEL,
        bottom=38 + (rows - 1 - row) * PANEL,
    )
    panel.axhline(0.05, color=RULE, linewidth=0.8, linestyle=(0, (3, 3)))
    for one in powers:
        colour = COLOURS.get(one.groups, INK)
        low, high = zip(*(rate.interval for rate in one.rates), strict=True)
        panel.fill_between(one.gains, low, high, color=colour, alpha=0.15, linewidth=0)
        shares = [rate.share for rate in one.rates]
        label = f"{one.groups} test groups"
        style = {"marker": "o", "markersize": 2.5, "linewidth": 1.4}
        panel.plot(one.gains, shares, color=colour, label=label, **style)
    panel.set_xlim(0, max(powers[0].gains) * 1.08)
    panel.set_ylim(0, 1.03)
    panel.set_yticks([0, 0.5, 1.0], ["0", "50 %", "100 %"])
    panel.set_title(f"{name}: share of studies that say ship", loc="left", fontsize=10, color=INK)
    panel.set_xlabel("true gain of the best configuration beyond the margin", fontsize=8)
