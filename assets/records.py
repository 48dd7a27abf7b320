"""Appends to a study's records: query sides and test openings."""

from pathlib import Path

from assets.folder import StudyFolder
from pipeline.collection import read_collection
from pipeline.splits import split_queries
from pipeline.splits.sides import Side, sides_of
from pipeline.storage import append_lines, read_lines

SIDES = Path("data/sides.jsonl")
LEDGER = Path("data/ledger.jsonl")
TIMES = Path("data/times.jsonl")
# Not a record: sheets for people, which hold text and stay out of git.
WORKSHEETS = Path("data/worksheets")
RECORDS = (SIDES, LEDGER, TIMES)


def assign_new_queries(folder: StudyFolder) -> list[Side]:
    """Puts queries that have no side yet on sides and appends them to `data/sides.jsonl`.

    Returns:
        The new sides; a recorded query never changes its own.

    Raises:
        CollectionError: the collection cannot be read.
        ParameterError: the queries cannot be split as declared.
    """
    path = folder.root / SIDES
    collection = read_collection(
        folder.root / folder.params.collection.path, params=folder.params.collection
    )
    recorded = sides_of(read_lines(path), where=path) if path.exists() else []
    sides = split_queries(
        collection.queries,
        collection.judgments,
        collection.documents,
        folder.params,
        recorded=recorded,
    )
    append_lines(path, (side.line() for side in sides))
    return sides
