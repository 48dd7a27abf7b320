"""Draws with matplotlib, gives inline SVG: the same bytes for the same figures, always.

Text stays text, in the page's font; colours become the page's variables; no metadata, no name
space declarations (HTML needs none) and no id that another chart of the page has.
"""

import io
import re
import warnings
from collections.abc import Callable
from html import escape
from typing import Any

from pipeline.report.charts.palette import INK, MUTED, RULE, VARIABLES

Axes = Any  # matplotlib ships no types

POINTS_PER_INCH = 72
WIDTH = 380.0  # points; the page scales a chart to its column

STYLE: Any = {  # matplotlib types its keys one by one
    "svg.fonttype": "none",
    "svg.hashsalt": "rankgate",
    "svg.image_inline": True,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "axes.unicode_minus": False,
    "font.family": "DejaVu Sans",  # it comes with matplotlib: the same metrics everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": RULE,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "path.simplify": False,
}


def draw(
    name: str,
    *,
    title: str,
    description: str,
    height: float,
    paint: Callable[[Any], None],
) -> str:
    """One chart as inline SVG.

    Args:
        name: unique on the page; prefix of every id in the chart.
        title: what it is, for those who do not see it.
        description: what it shows, for those who do not see it.
        height: in points; the width is `WIDTH`.
        paint: draws on the figure it is given.

    Returns:
        An `svg` element with a role, a title and a description.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(rc=STYLE), warnings.catch_warnings():
        # A name in a script that DejaVu lacks is only measured with it; the browser draws it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure = Figure(figsize=(WIDTH / POINTS_PER_INCH, height / POINTS_PER_INCH))
        canvas: Any = FigureCanvasSVG(figure)
        figure.patch.set_alpha(0)
        paint(figure)
        written = io.StringIO()
        nothing = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        canvas.print_svg(written, metadata=nothing)
    return _inline(written.getvalue(), name, title, description)


def axes(figure: Any, *, left: float, right: float, top: float, bottom: float) -> Axes:
    """Axes with margins in points: nothing depends on how wide a font measures its text."""
    width, height = (side * POINTS_PER_INCH for side in figure.get_size_inches())
    box = (
        left / width,
        bottom / height,
        (width - left - right) / width,
        (height - top - bottom) / height,
    )
    made = figure.add_axes(box)
    made.patch.set_alpha(0)
    return made


def label(text: str, longest: int = 22) -> str:
    """A name short enough for a margin; what is cut is marked."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return printable if len(printable) <= longest else printable[: longest - 1] + "…"


def _inline(svg: str, name: str, title: str, description: str) -> str:
    body = svg[svg.index("<svg") :]
    box = re.search(r'viewBox="([^"]+)"', body)
    inside = body[body.index(">") + 1 :]
    inside = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", inside, flags=re.DOTALL)
    inside = inside.replace("xlink:href", "href")
    inside = re.sub(r'\bid="(on-\d)"', r'class="\1"', inside)
    inside = re.sub(r'\bid="', f'id="{name}-', inside)
    inside = re.sub(r'href="#', f'href="#{name}-', inside).replace("url(#", f"url(#{name}-")
    inside = re.sub(r"font: ([\d.]+)px [^;\"]+", r"font-size: \1px", inside)
    for colour, variable in VARIABLES.items():
        inside = inside.replace(colour, f"var({variable})")
    inside = re.sub(r"\s*\n\s*", "\n", inside)
    return (
        f'<svg viewBox="{box[1] if box else ""}" role="img" '
        f'aria-labelledby="{name}-title {name}-said">'
        f'<title id="{name}-title">{escape(title)}</title>'
        f'<desc id="{name}-said">{escape(description)}</desc>{inside.strip()}'
    )
