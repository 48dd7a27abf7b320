"""`rankgate run STAGE [--branch NAME]`."""

from pathlib import Path

import click

from assets.folder import study_folder
from assets.runner import run_stage
from pipeline.errors import MissingError


@click.command(context_settings={"ignore_unknown_options": True})
@click.argument("stage")
@click.option("--branch", help="Which branch, for candidates.")
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def command(study: Path | None, stage: str, branch: str | None, options: tuple[str, ...]) -> None:
    """Runs one stage, as dvc.yaml calls it.

    OPTIONS are the branch's options as dvc.yaml spells them, so that DVC sees when one changes;
    the stage itself reads them from params.yaml.
    """
    folder = study_folder(study)
    try:
        run_stage(folder, stage, branch)
    except MissingError:
        # Imported here: a stage that finds its inputs starts without it.
        from assets.records import refuse_lost

        refuse_lost(folder)
        raise
