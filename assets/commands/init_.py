"""`rankgate init`: a study's folder."""

import shlex
from pathlib import Path

import click

from assets.founding import found
from assets.new_params import Founding
from assets.terminal import say
from pipeline.collection.declared import Declaration, declared_of
from pipeline.collection.hints import hints
from pipeline.errors import ParameterError
from pipeline.params import CollectionParams
from pipeline.splits.grouping import group_queries
from pipeline.splits.ties import told

ANEW = "rankgate init --independent, in another folder"
DECLARES = "Default: what the import declared, else"


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option(
    "--collection",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The collection's folder, in native form (see rankgate import).",
)
@click.option(
    "--regime",
    type=click.Choice(["exhaustive", "pooled", "sparse"]),
    help=f"How complete the judgments are. {DECLARES} pooled.",
)
@click.option("--scale", nargs=2, type=int, help=f"Lowest and highest grade. {DECLARES} 0 3.")
@click.option("--rel", type=int, help=f"Relevant from this grade on. {DECLARES} 1.")
@click.option(
    "--grade",
    "grades",
    multiple=True,
    metavar="FOREIGN=OURS",
    help="Maps a grade off the scale, as -1=0; may stand several times.",
)
@click.option("--independent", is_flag=True, help="Every query is a group of its own.")
def command(
    folder: Path,
    collection: Path,
    regime: str | None,
    scale: tuple[int, int] | None,
    rel: int | None,
    grades: tuple[str, ...],
    independent: bool,
) -> None:
    """Makes a study in FOLDER: parameters, dvc.yaml, records, a CI workflow.

    In a git repository; a study that is there already is refused, and nothing is overwritten.
    """
    usual, declared = CollectionParams(path="."), declared_of(collection) or Declaration()
    mapped = dict(_grade(given) for given in grades) or declared.grades
    regime = regime or declared.regime or usual.regime
    scale = scale or declared.scale or usual.scale
    rel = rel if rel is not None else declared.rel or usual.rel
    study, sides, read = found(
        Founding(folder, collection, regime, scale, rel, independent, mapped)
    )
    protocol = study.params.splits.protocol
    say(f"{folder / 'params.yaml'}: {protocol}, {len(sides)} queries on sides")
    grouping = group_queries(read.queries, read.judgments, read.documents, study.params)
    say(f"groups: {told(grouping, ANEW)}")
    for hint in hints(read.judgments, study.params.collection):
        say(f"hint: {hint}")
    away = "" if folder.resolve() == Path.cwd() else f"cd {_as_word(folder)} && "
    say(f"next: {away}dvc repro")


def _as_word(folder: Path) -> str:
    """A folder as a shell takes it, be its name an option's or of several words."""
    return shlex.quote(f"./{folder}" if str(folder).startswith("-") else str(folder))


def _grade(given: str) -> tuple[int, int]:
    foreign, _, ours = given.partition("=")
    try:
        return int(foreign), int(ours)
    except ValueError:
        raise ParameterError(
            "not FOREIGN=OURS", where="--grade", found=given, expected="two whole numbers: -1=0"
        ) from None
