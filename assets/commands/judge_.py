"""`rankgate judge export|import|status`: blind worksheets out, judgments in, what is unknown."""

from pathlib import Path

import click

from assets.folder import study_folder
from assets.judging.answers import import_judgments
from assets.judging.lost_evidence import written_errors
from assets.judging.progress import progress
from assets.judging.qrels import written_qrels
from assets.judging.worksheets import export_worksheet
from assets.terminal import say
from pipeline.collection.checks import SIDES
from pipeline.worksheets import FORMATS


@click.group()
def command() -> None:
    """Blind worksheets out, judgments in, what is unknown."""


@command.command("export")
@click.option("--assessor", required=True, help="Who will judge; decides the order of rows.")
@click.option(
    "--format", "form", type=click.Choice(sorted(FORMATS)), default="csv", show_default=True
)
@click.option("--second", is_flag=True, help="Also pairs that are judged: a second opinion.")
@click.option(
    "--critical",
    is_flag=True,
    help="Only the pairs whose judgment could turn the primary gate (docs/unjudged.md).",
)
@click.option("--force", is_flag=True, help="Over a worksheet that holds answers.")
@click.pass_obj
def export(
    study: Path | None, assessor: str, form: str, second: bool, critical: bool, force: bool
) -> None:
    """Writes the pool's unjudged pairs to data/worksheets/ASSESSOR.FORMAT, blind and shuffled."""
    if second and critical:
        raise click.UsageError("--critical asks about unjudged pairs, --second about judged ones")
    folder = study_folder(study)
    made = export_worksheet(folder, assessor, form, second=second, critical=critical, force=force)
    grades = _scale(folder.params.collection.scale)
    say(f"{made.path}: {made.pairs} pairs to judge, grades {grades}")
    if made.withheld:
        say(
            f"withheld: {made.withheld} pairs whose query may not see the evidence; "
            "a branch returned it, and the gate authorization fails"
        )
    next_step = f"rankgate judge import {made.path} --round NAME"
    say(f"next: fill in grade (or status), then {next_step}")


@command.command("import")
@click.argument("worksheet", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--round", "round_name", required=True, help="Written to judgments/ROUND.jsonl.")
@click.option("--assessor", help="Who judged (default: the worksheet's file name).")
@click.option(
    "--kind",
    type=click.Choice(["human", "model", "log"]),
    default="human",
    show_default=True,
    help="What the assessor is.",
)
@click.pass_obj
def import_(
    study: Path | None, worksheet: Path, round_name: str, assessor: str | None, kind: str
) -> None:
    """Appends a worksheet's answers to the collection's judgments; all of them or none.

    Under the rule `latest` later rounds win, by name: 2026-01 before 2026-02.
    """
    folder = study_folder(study)
    path, brought = import_judgments(
        folder, worksheet, round_name, assessor=assessor or worksheet.stem, kind=kind
    )
    counts = ", ".join(f"{count} {name}" for name, count in brought.summary.items())
    say(f"{path}: {counts}")
    say(f"next: git add {path}, then dvc repro")


@command.command("qrels")
@click.option("--side", type=click.Choice(SIDES), help="Only queries of this side.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def qrels(study: Path | None, side: str | None, output: Path) -> None:
    """Writes the study's judgments, one grade for each pair, as TREC qrels.

    An output that ends in .jsonl is JSON Lines, with what is unknown or abstained; .gz is gzipped.
    """
    made = written_qrels(study_folder(study), output, side)
    say(f"{output}: {made.pairs} pairs")
    if made.withheld:
        say(f"withheld: {made.withheld} pairs whose query may not see the evidence")


@command.command("errors")
@click.option("--side", type=click.Choice(["dev", "test"]), help="Only queries of this side.")
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.pass_obj
def errors(study: Path | None, side: str | None, output: Path) -> None:
    """Writes a CSV for error analysis: each lost evidence, its stage, and room for the cause.

    It holds the queries' texts, and test queries once the test is open.
    """
    rows = written_errors(study_folder(study), output, side)
    say(f"{output}: {rows} rows")


@command.command("status")
@click.pass_obj
def status(study: Path | None) -> None:
    """How much of the pool is judged, on each side."""
    for line in progress(study_folder(study)):
        say(line)


def _scale(scale: tuple[int, int]) -> str:
    return f"{scale[0]} to {scale[1]}"
