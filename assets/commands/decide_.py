"""`rankgate decide`: the decision and its gates, with an exit code for machines."""

import json
import sys
from pathlib import Path

import click

from assets.folder import study_folder
from assets.freshness import refuse_stale
from assets.wording import decision_text
from pipeline.storage import read_json

EXIT = {"ship": 0, "hold": 3, "inconclusive": 4, "sealed": 5}


@click.command()
@click.option("--json", "as_json", is_flag=True, help="The whole decision as JSON.")
@click.option(
    "--fail-on",
    default="hold,inconclusive,sealed",
    show_default=True,
    help="Words that end with their exit code; others end with 0.",
)
@click.pass_obj
def command(study: Path | None, as_json: bool, fail_on: str) -> None:
    """Prints the decision and its gates; exit 0 ship, 3 hold, 4 inconclusive, 5 sealed.

    Refused when the stored decision is not for the present inputs.
    """
    folder = study_folder(study)
    failing = _words(fail_on)
    refuse_stale(folder, "decision", what="decision")
    decision = read_json(folder.data / "decision" / "decision.json")
    click.echo(json.dumps(decision, indent=2) if as_json else decision_text(decision))
    word = decision["word"]
    sys.exit(EXIT[word] if word in failing else 0)


def _words(fail_on: str) -> set[str]:
    words = {word.strip() for word in fail_on.split(",") if word.strip()}
    strangers = words - set(EXIT)
    if strangers:
        raise click.BadParameter(
            f"{sorted(strangers)[0]!r} is no word; known: {', '.join(EXIT)}", param_hint="--fail-on"
        )
    return words
