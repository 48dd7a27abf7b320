"""`rankgate init`: a study's folder."""

from pathlib import Path

import click

from assets.founding import found
from assets.new_params import Founding


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option(
    "--collection",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The collection's folder, in native form (see rankgate import).",
)
@click.option(
    "--regime",
    type=click.Choice(["exhaustive", "pooled", "sparse"]),
    default="pooled",
    show_default=True,
    help="How complete the judgments are.",
)
@click.option("--scale", nargs=2, type=int, default=(0, 3), show_default=True, help="Grades.")
@click.option("--rel", type=int, default=1, show_default=True, help="Relevant from this grade on.")
@click.option("--independent", is_flag=True, help="Every query is a group of its own.")
def command(
    folder: Path,
    collection: Path,
    regime: str,
    scale: tuple[int, int],
    rel: int,
    independent: bool,
) -> None:
    """Makes a study in FOLDER: parameters, dvc.yaml, records, a CI workflow.

    In a git repository; a study that is there already is refused, and nothing is overwritten.
    """
    study, sides = found(Founding(folder, collection, regime, scale, rel, independent))
    protocol = study.params.splits.protocol
    click.echo(f"{folder / 'params.yaml'}: {protocol}, {len(sides)} queries on sides")
    away = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    click.echo(f"next: {away}dvc repro")
