"""`rankgate time`: what every part costs on this machine."""

from pathlib import Path

import click

from assets.folder import study_folder
from assets.freshness import refuse_stale
from assets.records import TIMES
from assets.timing import measure_times, times_text


@click.command()
@click.option(
    "--calls",
    type=click.IntRange(min=1),
    help="Warm calls of each system (default: 200, or what the limit's percentile needs).",
)
@click.pass_obj
def command(study: Path | None, calls: int | None) -> None:
    """Measures every branch and the selected configuration, and appends to data/times.jsonl.

    Warm calls in one process, one caller, the systems taking turns. Recorded branches are not
    timed: their time is their own service's.
    """
    folder = study_folder(study)
    refuse_stale(folder, "selection", what="selection")
    timings = measure_times(folder, calls=calls)
    click.echo(times_text(timings))
    click.echo(f"{folder.root / TIMES}: {len(timings)} lines more. Next: dvc repro")
