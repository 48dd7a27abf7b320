"""`rankgate status`: what is stale, sealed or unjudged, and the next command."""

from pathlib import Path

import click

from assets.folder import study_folder
from assets.state import state_of
from assets.terminal import say


@click.command()
@click.pass_obj
def command(study: Path | None) -> None:
    """Says where the study stands, and what to run next."""
    state = state_of(study_folder(study))
    for line in state.lines():
        say(line)
