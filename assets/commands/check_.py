"""`rankgate check`: every problem, and whether this study can answer."""

import sys
from pathlib import Path

import click

from assets.checking import check_study
from assets.folder import study_folder

LABELS = {"problem": "problem  ", "warning": "warning  ", "fact": "         "}


@click.command()
@click.pass_obj
def command(study: Path | None) -> None:
    """Lists every problem, not only the first, and says whether this study can answer.

    Exit 1 where there is a problem; a warning alone is exit 0. Nothing is run or changed.
    """
    folder = study_folder(study)
    problems = 0
    for finding in check_study(folder):
        click.echo(f"{LABELS[finding.kind]}{finding.text}")
        problems += finding.kind == "problem"
    if problems:
        click.echo(f"{problems} problem(s)", err=True)
        sys.exit(1)
    click.echo("no problems. Next: dvc repro")
