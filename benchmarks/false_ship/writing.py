"""The page that holds the benchmark's figures, and the power curve."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from benchmarks.false_ship.drawing import power_curve
from benchmarks.false_ship.figures import all_tables, missed
from benchmarks.false_ship.plan import Plan, Results

PAGE, PICTURE = "false-ship.md", "false-ship.svg"
TEMPLATE = "page.md.jinja"


def write(results: Results, plan: Plan, folder: Path) -> None:
    """Writes the page and the power curve.

    Args:
        results: what was seen.
        plan: how much was tried.
        folder: where both go.
    """
    of = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,
    )
    page = of.get_template(TEMPLATE).render(
        plan=plan,
        tables=all_tables(results, plan),
        picture=PICTURE,
        refuted=missed(results),
        ranx_gains=results.ranx_gains,
    )
    (folder / PAGE).write_text(page, encoding="utf-8")
    (folder / PICTURE).write_text(power_curve(results.powers), encoding="utf-8")
