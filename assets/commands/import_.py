"""`rankgate import`: a collection in native form."""

from pathlib import Path
from typing import Any

import click

from assets.asking import asker
from assets.import_report import declaration_flags, lacking, noticed, told
from assets.large_files import keep_in_dvc
from assets.rating_options import labels, rating_form, rating_options
from assets.terminal import say
from pipeline.collection import import_collection
from pipeline.collection.declared import Declaration
from pipeline.collection.importing import FORMATS

COLLECTIONS = Path("data/collections")
FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("source", required=False)
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), required=True)
@click.option("--name", required=True, help="The collection's name: letters, digits, _ . -")
@click.option(
    "--split", "splits", multiple=True, help="Part of BEIR or ir_datasets: NAME or NAME=SIDE."
)
@click.option("--documents", type=FILE, help="This file instead of SOURCE's documents.")
@click.option("--queries", type=FILE, help="This file instead of SOURCE's queries.")
@click.option("--judgments", type=FILE, help="This file instead of SOURCE's judgments.")
@click.option(
    "--runs",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A run file, or a folder of answers; may stand several times.",
)
@click.option("--link", is_flag=True, help="Links instead of copies, for files taken as they are.")
@click.option(
    "--trailing",
    type=click.Choice(["reject", "ignore"]),
    default="reject",
    show_default=True,
    help="Words after the last column of TREC files.",
)
@click.option(
    "--regime",
    type=click.Choice(["exhaustive", "pooled", "sparse"]),
    help="How complete the judgments are.",
)
@click.option("--scale", nargs=2, type=int, help="Lowest and highest grade.")
@click.option("--rel", type=int, help="Relevant from this grade on.")
@rating_options
@click.pass_obj
def command(
    study: Path | None,
    /,
    source: str | None,
    form: str,
    name: str,
    splits: tuple[str, ...],
    link: bool,
    trailing: str,
    regime: str | None,
    scale: tuple[int, int] | None,
    rel: int | None,
    columns: tuple[str, ...],
    grades: tuple[str, ...],
    sheet: str | None,
    number_ids: bool,
    **files: Any,
) -> None:
    """Brings SOURCE (a folder, or an id of ir_datasets) into data/collections/NAME.

    Whole or not at all, and never over another collection. Documents, queries and runs of 5 MB
    or more go under DVC; judgments stay in git. Regime, scale and rel are asked for on a
    terminal where no option says them. --grade of a whole number (-1=0) maps a grade off the
    scale: judgments stay as they are, and the study maps them.
    """
    mapped, words = _parted(grades)
    report = import_collection(
        source,
        format=form,
        target=(study or Path()) / COLLECTIONS,
        name=name,
        splits=splits,
        link=link,
        trailing=trailing,
        form=rating_form(columns, words, sheet, number_ids),
        declaration=Declaration(regime, scale, rel, mapped),
        ask=asker(),
        **files,
    )
    for line in (*told(report), *noticed(report), *lacking(report, Path(source or "."))):
        say(line)
    kept = keep_in_dvc(report.path)
    if kept is not None:
        say(kept)
    flags = declaration_flags(report.declared)
    say(f"next: rankgate init DIR --collection {report.path} {flags}".rstrip())


def _parted(grades: tuple[str, ...]) -> tuple[dict[int, int], tuple[str, ...]]:
    """Whole numbers that the study maps, and labels that become numbers in reading."""
    mapped: dict[int, int] = {}
    words: list[str] = []
    for given in grades:
        ((label, grade),) = labels([given]).items()
        try:
            foreign = int(label)
        except ValueError:
            foreign = None
        if foreign is None or not isinstance(grade, int):
            words.append(given)
        else:
            mapped[foreign] = grade
    return mapped, tuple(words)
