"""`rankgate show QUERY`: one query's list."""

from pathlib import Path

import click

from assets.folder import study_folder
from assets.ranked_list import HIDDEN, ranked_list
from assets.terminal import say
from assets.text_table import table
from assets.written_run import written_run
from pipeline.systems import SELECTED


@click.command()
@click.argument("query", required=False)
@click.option("--system", default=SELECTED, show_default=True, help="Whose list.")
@click.option(
    "--depth", type=click.IntRange(min=1), default=20, show_default=True, help="How many ranks."
)
@click.option(
    "--run",
    "output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Writes the system's lists of all queries to this TREC run (.jsonl: JSON Lines) instead.",
)
@click.pass_obj
def command(
    study: Path | None, query: str | None, system: str, depth: int, output: Path | None
) -> None:
    """Shows a query's list: rank, id, score, rank in each branch, grade, rank in the baseline.

    Ranks are those of the collapsed lists, as fusion sees them. The baseline is the production
    run, else the branch that is best on dev. Ids only: no text is shown, and no document that its
    query may not see.
    """
    if output is not None and query is None:
        made = written_run(study_folder(study), system, output)
        say(f"{output}: {system}, {made.queries} queries; ids are those of the evidence")
        _tell_withheld(made.withheld)
        return
    if query is None or output is not None:
        raise click.UsageError("either QUERY or --run FILE")
    listed = ranked_list(study_folder(study), query, system)
    say(f"query {listed.query} ({listed.side}), system {listed.system}")
    for branch, state in listed.states.items():
        say(f"  {branch}: {state}")
    if listed.hidden:
        say(HIDDEN)
    say(*table(listed.columns, listed.rows[:depth]) if listed.rows else ["an empty list"])
    say(listed.how)
    _tell_withheld(listed.withheld)


def _tell_withheld(count: int) -> None:
    if count:
        say(
            f"withheld: {count} listed documents that the query may not see; "
            "the gate authorization fails"
        )
