"""How often a study says *ship* where nothing deserves it.

    nice -n 10 python -m benchmarks.verdicts --collections ../shared/collections

Writes `docs/false-ship.md`'s figures and the power curve; `--quick` prints a small run instead, and
`--collection`, `--grid`, `--part` and `--interval` a part of it.
"""

import tempfile
import time
from dataclasses import replace
from pathlib import Path

import click

from benchmarks.false_ship.figures import printed
from benchmarks.false_ship.plan import PARTS, Plan, Results
from benchmarks.false_ship.populations import GRIDS
from benchmarks.false_ship.running import run
from benchmarks.false_ship.writing import write

EVERYWHERE = ("primary", "zero_hits", "degraded")
DOCS = Path(__file__).parents[1] / "docs"
QUICK = Plan(
    studies=150,
    ranx=0,
    samples=10,
    collections=("handbook",),
    groups=(15, 30),
    grids=(9,),
    resamples=1000,
)


@click.command(help=__doc__)
@click.option(
    "--collections",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("../shared/collections"),
    show_default=True,
    help="Folder of collections in BEIR's form: scifact, cranfield, stackfaq, medline.",
)
@click.option("--studies", type=click.IntRange(1), default=Plan().studies, show_default=True)
@click.option("--ranx", type=click.IntRange(0), default=Plan().ranx, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=Plan().seed, show_default=True)
@click.option("--quick", is_flag=True, help="The handbook alone, few studies; writes nothing.")
@click.option("--collection", "names", multiple=True, type=click.Choice(Plan().collections))
@click.option("--grid", "grids", multiple=True, type=click.Choice(sorted(GRIDS)), help="Points.")
@click.option("--groups", multiple=True, type=click.IntRange(15), help="Test groups.")
@click.option("--part", "parts", multiple=True, type=click.Choice(PARTS))
@click.option("--gate", "gates", multiple=True, type=click.Choice(EVERYWHERE))
@click.option(
    "--interval",
    type=click.Choice(["gate", "widest"]),
    default="gate",
    show_default=True,
    help="widest: measures the wider of t and bootstrap-t at every number of groups.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=DOCS,
    help="Folder of false-ship.md and false-ship.svg.",
)
def main(
    collections: Path,
    studies: int,
    ranx: int,
    seed: int,
    quick: bool,
    names: tuple[str, ...],
    grids: tuple[int, ...],
    groups: tuple[int, ...],
    parts: tuple[str, ...],
    gates: tuple[str, ...],
    interval: str,
    out: Path,
) -> None:
    """Runs the benchmark; a part of it is printed and not written."""
    plan = QUICK if quick else Plan(studies=studies, ranx=ranx, seed=seed)
    whole = plan
    plan = replace(
        plan,
        collections=names or plan.collections,
        grids=grids or plan.grids,
        groups=groups or plan.groups,
        parts=parts or plan.parts,
        gates=gates,
        widest=interval == "widest",
    )
    results = simulate(plan, collections)
    if quick or plan != whole:
        click.echo(printed(results, plan))
        return
    write(results, plan, out)
    click.echo(f"written: {out / 'false-ship.md'}, {out / 'false-ship.svg'}")


def simulate(plan: Plan, collections: Path) -> Results:
    """All of a plan, each step told as it is done."""
    results, started = Results(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for done, found in run(plan, collections, Path(folder)):
            results = found
            click.echo(f"{time.monotonic() - started:7.1f} s  {done}", err=True)
    return results


if __name__ == "__main__":
    main()
