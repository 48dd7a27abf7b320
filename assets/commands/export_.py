"""`rankgate export ENGINE`: what reproduces the selected configuration there."""

from pathlib import Path

import click

from assets.exporting import every_engine, exported
from assets.folder import study_folder
from assets.freshness import refuse_stale
from assets.terminal import say


@click.command()
@click.argument("engine", required=False)
@click.pass_obj
def command(study: Path | None, engine: str | None) -> None:
    """Writes a snippet that reproduces the selected configuration in a search engine.

    The snippet goes to standard output, what must be known about it to standard error: the
    engine's formula, and how many queries get another context under it. Words in capitals are to
    be filled in. Without ENGINE, what becomes of the configuration in each of them.
    """
    folder = study_folder(study)
    refuse_stale(folder, "evaluation", what="selection")
    if engine is None:
        for name, said in every_engine(folder):
            say(f"{name}: {said}")
        return
    found = exported(folder, engine)
    for note in found.notes:
        say(f"# {note}", err=True)
    click.echo(found.snippet)
