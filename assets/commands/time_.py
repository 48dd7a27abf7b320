"""`rankgate time`: what every part costs on this machine."""

from dataclasses import replace
from pathlib import Path

import click

from assets.folder import study_folder
from assets.freshness import refuse_stale
from assets.records import TIMES
from assets.terminal import say
from assets.timing import amount_for, measure_times, measuring_steps, times_lines, work_lines
from pipeline.progress import progress

_COUNT = click.IntRange(min=1)


@click.command()
@click.option("--calls", type=_COUNT, help="Warm calls of each system by one caller (1000).")
@click.option(
    "--loaded",
    type=_COUNT,
    help="Warm calls of each system by 4 and by 16 callers at once (200, and 30 of each caller), "
    "and at each depth (200).",
)
@click.option(
    "--cold",
    type=click.IntRange(min=0),
    help="Fresh processes whose first call is timed, for each system (20); 0: none.",
)
@click.pass_obj
def command(study: Path | None, calls: int | None, loaded: int | None, cold: int | None) -> None:
    """Measures every branch and the selected configuration, and appends to data/times.jsonl.

    A call asks all branches at once, each within its budget (operations.timeout_ms), fuses what
    came and fetches the context's documents. The systems take turns: warm calls in one process,
    by 1, 4 and 16 callers; the selected fusion cut to several depths; first calls in fresh
    processes. Limits of decision.latency raise the numbers where their percentiles need more.
    Recorded branches are not timed: their time is their own service's.
    """
    folder = study_folder(study)
    refuse_stale(folder, "selection", what="selection")
    needed = amount_for(folder.params)
    amount = replace(
        needed,
        calls=calls or needed.calls,
        loaded=loaded or needed.loaded,
        moments=needed.moments if loaded is None else 1,
        cold=needed.cold if cold is None else cold,
    )
    steps = measuring_steps(folder, amount)
    with progress("calls", steps, unit="calls") as advance:
        timings = measure_times(folder, amount=amount, progress=advance)
    say(*times_lines(timings), *work_lines(timings))
    say(f"{folder.root / TIMES}: {len(timings)} lines more. Next: dvc repro")
