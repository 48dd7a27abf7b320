"""`rankgate assign`: new query groups on sides."""

from collections import Counter
from pathlib import Path

import click

from assets.folder import study_folder
from assets.records import SIDES, assign_new_queries
from assets.terminal import say


@click.command()
@click.pass_obj
def command(study: Path | None) -> None:
    """Puts new query groups on sides; a recorded query never changes its side."""
    folder = study_folder(study)
    sides = assign_new_queries(folder)
    counts = ", ".join(f"{n} {side}" for side, n in sorted(Counter(s.side for s in sides).items()))
    say(f"{folder.root / SIDES}: {len(sides)} new queries" + (f" ({counts})" if sides else ""))
