"""`rankgate import`: a collection in native form."""

from collections.abc import Mapping
from pathlib import Path

import click

from assets.large_files import keep_in_dvc
from pipeline.collection import Collection, ImportReport, import_collection, read_collection
from pipeline.collection.importing import FORMATS
from pipeline.manifest import manifest_of
from pipeline.params import CollectionParams

COLLECTIONS = Path("data/collections")
FILE = click.Path(dir_okay=False, path_type=Path)
# What a manifest notices that a person importing should know.
NOTICED = {
    "text_twins": "clusters of documents with the same text and different evidence",
    "ids_alike": "judged ids that differ from a known one only by Unicode normal form",
    "judged_evidence_without_document": "judged evidence without a document (kept)",
    "judged_queries_unknown": "judged queries that are not among the queries",
    "superseded_by_unknown": "superseding documents that are not in the corpus",
    "required_evidence_unknown": "required evidence that is not in the corpus",
}


@click.command()
@click.argument("source", required=False)
@click.option("--format", "form", type=click.Choice(sorted(FORMATS)), required=True)
@click.option("--name", required=True, help="The collection's name: letters, digits, _ . -")
@click.option("--split", "splits", multiple=True, help="BEIR qrels to take: NAME or NAME=SIDE.")
@click.option("--documents", type=FILE, help="This file instead of SOURCE's documents.")
@click.option("--queries", type=FILE, help="This file instead of SOURCE's queries.")
@click.option("--judgments", type=FILE, help="This file instead of SOURCE's judgments.")
@click.option("--runs", type=FILE, multiple=True, help="A run file; may stand several times.")
@click.option("--link", is_flag=True, help="Links instead of copies, for files taken as they are.")
@click.pass_obj
def command(
    study: Path | None,
    source: str | None,
    form: str,
    name: str,
    splits: tuple[str, ...],
    documents: Path | None,
    queries: Path | None,
    judgments: Path | None,
    runs: tuple[Path, ...],
    link: bool,
) -> None:
    """Brings SOURCE (a folder, or an id of ir_datasets) into data/collections/NAME.

    Whole or not at all, and never over another collection. Documents, queries and runs of 5 MB
    or more go under DVC; judgments stay in git.
    """
    report = import_collection(
        source,
        format=form,
        target=(study or Path()) / COLLECTIONS,
        name=name,
        splits=splits,
        documents=documents,
        queries=queries,
        judgments=judgments,
        runs=runs,
        link=link,
    )
    collection = read_collection(report.path)
    for line in (*told(report), *noticed(collection)):
        click.echo(line)
    kept = keep_in_dvc(report.path)
    if kept is not None:
        click.echo(kept)
    click.echo(f"next: rankgate init DIR --collection {report.path} {_scale(collection)}".rstrip())


def told(report: ImportReport) -> list[str]:
    """What was read, what was left behind and why, and what a person should read."""
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items())
    dropped = [f"left behind: {count} {reason}" for reason, count in report.dropped.items()]
    return [f"{report.path}: {counts}", *dropped, *(f"note: {note}" for note in report.notes)]


def noticed(collection: Collection) -> list[str]:
    """What is no error and worth knowing: twins, ids that dangle; the first three of each."""
    found: Mapping[str, Mapping[str, object]] = manifest_of(collection, _as_declared(collection))[
        "noticed"
    ]
    return [
        f"noticed: {found[key]['count']} {words}, for instance {_first(found[key]['first'])}"
        for key, words in NOTICED.items()
        if found[key]["count"]
    ]


def _first(offenders: object) -> str:
    shown = list(offenders)[:3] if isinstance(offenders, list) else []
    return "; ".join(" = ".join(one) if isinstance(one, list) else str(one) for one in shown)


def _as_declared(collection: Collection) -> CollectionParams:
    low, high = _grades(collection)
    return CollectionParams(path=".", scale=(low, max(high, low + 1)), rel=max(low + 1, 1))


def _grades(collection: Collection) -> tuple[int, int]:
    """The lowest grade that occurs, at most 0, and the highest, at least 1."""
    grades = collection.judgments["grade"].drop_nulls().to_list()
    return min([0, *grades]), max([1, *grades])


def _scale(collection: Collection) -> str:
    low, high = _grades(collection)
    return "" if (low, high) == (0, 3) else f"--scale {low} {high}"
