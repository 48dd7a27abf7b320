"""`rankgate summary`: one screen for a product manager."""

from pathlib import Path

import click

from assets.artifacts import stored
from assets.folder import study_folder
from assets.freshness import refuse_stale
from pipeline.report.one_screen import one_screen
from pipeline.report.renderers import RENDERERS

READS = ("decision", "evaluation_summary", "per_query", "latency", "queries")


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(list(RENDERERS)),
    default="text",
    show_default=True,
    help="How it is written.",
)
@click.pass_obj
def command(study: Path | None, form: str) -> None:
    """The word; who gains and who loses; what it costs; what would change the answer.

    Refused when the stored decision is not for the present inputs.
    """
    folder = study_folder(study)
    refuse_stale(folder, "decision", what="decision")
    results = {name: stored(folder, name) for name in READS}
    screen = one_screen(**results, params=folder.params)
    click.echo(RENDERERS[form](screen), nl=False)
