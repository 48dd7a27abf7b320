"""`rankgate check`: every problem, and whether this study can answer."""

import sys
from itertools import chain
from pathlib import Path

import click

from assets.checking import aa_findings, check_study
from assets.folder import StudyFolder, study_folder
from assets.state import state_of
from assets.terminal import say
from pipeline.errors import RankgateError

LABELS = {"problem": "problem  ", "warning": "warning  ", "fact": "         "}


@click.command()
@click.option(
    "--aa",
    is_flag=True,
    help="Also compare each system with itself: twice, and with tied items in other orders.",
)
@click.pass_obj
def command(study: Path | None, aa: bool) -> None:
    """Lists every problem, not only the first, and says whether this study can answer.

    Exit 1 where there is a problem; a warning alone is exit 0. Nothing is run or changed.
    """
    folder = study_folder(study)
    problems = 0
    for finding in chain(check_study(folder), aa_findings(folder) if aa else ()):
        say(f"{LABELS[finding.kind]}{finding.text}")
        problems += finding.kind == "problem"
    if problems:
        say(f"{problems} problem(s)", err=True)
        sys.exit(1)
    say(f"no problems. Next: {_next_command(folder)}")


def _next_command(folder: StudyFolder) -> str:
    """What `rankgate status` would say; a first run where DVC cannot tell what is stale."""
    try:
        return state_of(folder).next_command
    except RankgateError:
        return "dvc repro"
