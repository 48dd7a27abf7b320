"""`rankgate decide`: the decision and its gates, with an exit code for machines."""

import json
import sys
from pathlib import Path

import click

from assets.exit_codes import exit_code, fail_on
from assets.folder import study_folder
from assets.freshness import refuse_stale
from assets.terminal import say
from assets.wording import decision_lines
from pipeline.storage import read_json


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The whole decision as JSON.")
@fail_on("hold,inconclusive,sealed")
@click.pass_obj
def command(study: Path | None, as_json: bool, failing: frozenset[str]) -> None:
    """Prints the decision and its gates; exit 0 ship, 3 hold, 4 inconclusive, 5 sealed.

    Refused (exit 1) when the stored decision is not for the present inputs.
    """
    folder = study_folder(study)
    refuse_stale(folder, "decision", what="decision")
    decision = read_json(folder.data / "decision" / "decision.json")
    if as_json:
        click.echo(json.dumps(decision, indent=2))
    else:
        say(*decision_lines(decision))
    sys.exit(exit_code(decision["word"], failing))
