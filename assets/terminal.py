"""Where every line for a person is written: what a terminal would obey in it is escaped."""

import click

from pipeline.printable import printable


def say(*lines: str, err: bool = False) -> None:
    """Writes lines; ids, names and paths in them may hold any sign, and stay on their line.

    What programs read (JSON, runs, snippets, values in trec_eval's layout) does not go through
    here: it is written as it is.

    Args:
        lines: each one line, whatever stands in it.
        err: to standard error.
    """
    for line in lines:
        click.echo(printable(line), err=err)
