"""`rankgate render`: dvc.yaml from the table of stages."""

from pathlib import Path

import click

from assets.dvc_yaml import render
from assets.folder import study_folder
from assets.terminal import say
from pipeline.storage import write_text


@click.command()
@click.pass_obj
def command(study: Path | None) -> None:
    """Writes dvc.yaml from the table of stages."""
    folder = study_folder(study)
    code = folder.root if folder.is_this_repository else None
    write_text(folder.root / "dvc.yaml", render(code=code))
    say(f"{folder.root / 'dvc.yaml'} written")
