"""Import into the native form: whole or not at all, and never over something else."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.collection.collection import Collection
from pipeline.collection.declared import DECLARED, Ask, Declaration, Declared, declare, declared_of
from pipeline.collection.import_beir import find_beir
from pipeline.collection.import_ir_datasets import find_ir_datasets
from pipeline.collection.import_native import find_native
from pipeline.collection.import_trec import find_trec
from pipeline.collection.import_writing import whole_folder, write_found
from pipeline.collection.ratings import RatingForm
from pipeline.collection.sources import Found, Source, counted
from pipeline.collection.trec import columns_rule
from pipeline.errors import ParameterError
from pipeline.storage import write_json

NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]+")

FORMATS: Mapping[str, Callable[[Source], Found]] = {
    "jsonl": find_native,
    "beir": find_beir,
    "trec": find_trec,
    "ir_datasets": find_ir_datasets,
}


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did.

    Args:
        name: the collection.
        format: the format it was read in.
        path: the new folder.
        counts: documents, queries, judgments, runs; what dangles.
        dropped: reason to number of lines, fields or queries left behind.
        listed: the same reasons to the ids left behind, where they have some.
        unread: files of the source folder that were not read.
        notes: sentences a person should read.
        declared: regime, scale and rel of the judgments.
        collection: what was imported, as it was read.
    """

    name: str
    format: str
    path: Path
    counts: Mapping[str, int]
    dropped: Mapping[str, int]
    listed: Mapping[str, Sequence[str]]
    unread: Sequence[str]
    notes: Sequence[str]
    declared: Declared
    collection: Collection

    def content(self) -> dict[str, Any]:
        """As it is written to import.json: nothing of where the source lay."""
        told = ("name", "format", "counts", "dropped", "listed", "unread", "notes")
        return {**{key: getattr(self, key) for key in told}, "declared": self.declared.content()}


def import_collection(
    source: Path | str | None = None,
    *,
    format: str,  # noqa: A002 - the command's own word
    target: Path,
    name: str,
    splits: Sequence[str] = (),
    documents: Path | None = None,
    queries: Path | None = None,
    judgments: Path | None = None,
    runs: Sequence[Path] = (),
    link: bool = False,
    trailing: str = "reject",
    form: RatingForm | None = None,
    declaration: Declaration | None = None,
    ask: Ask | None = None,
) -> ImportReport:
    """Writes a collection in native form into `target/name`.

    Args:
        source: a folder, or a data set's id for ir_datasets; None where single files are given.
        format: jsonl (native), beir, trec or ir_datasets.
        target: the folder of collections, such as `data/collections`.
        name: the new collection's name.
        splits: BEIR's qrels or ir_datasets' parts to take, `NAME` or `NAME=SIDE` (dev, test,
            train, reserve).
        documents: a single file instead of the folder's.
        queries: likewise.
        judgments: likewise.
        runs: run files; added to the folder's.
        link: files that are taken as they are (runs; all of a native collection) become links
            instead of copies. What is converted is always written.
        trailing: words after the last column of TREC files: `reject` or `ignore`.
        form: columns, labels and sheet of a table of judgments.
        declaration: regime, scale, rel and map of grades, as far as they are said.
        ask: asks for the others; without it they are the source's own, those that occur, or the
            defaults.

    Returns:
        Counts, what was dropped and why, what is declared; also written to `import.json` there.

    Raises:
        ParameterError: no such format, a name that cannot be one, a collection of that name, or
            a declaration that cannot be.
        MissingError: something to import is not there.
        CollectionError: every problem of the source, with file and line.
    """
    if format not in FORMATS:
        raise ParameterError(
            "no such format", where="--format", found=format, expected=", ".join(FORMATS)
        )
    columns_rule(trailing)
    place = _vacant(Path(target), name)
    files = (documents, queries, judgments, tuple(map(Path, runs)))
    given = Source(source, tuple(splits), *files, trailing, form)
    found = FORMATS[format](given)
    folder = given.folder if format != "ir_datasets" else None
    declared = declare(
        declaration or Declaration(),
        found.collection,
        where=source or judgments or "the given files",
        before=declared_of(folder, origins=("said", "source")) if folder else None,
        ask=ask,
    )
    report = ImportReport(
        name,
        format,
        place,
        counted(found.collection),
        dict(sorted(found.dropped.items())),
        dict(found.listed),
        unread_files(folder, found.read) if folder else [],
        found.notes,
        declared,
        found.collection,
    )
    with whole_folder(place) as made:
        write_found(found, made, place, link=link)
        write_json(made / DECLARED, report.content())
    return report


def unread_files(folder: Path, read: Sequence[Path | None]) -> list[str]:
    """Files of a folder, and of the folders in it, that were not read, by name."""
    known = {path.resolve() for path in read if path is not None}
    files = [file for pattern in ("*", "*/*") for file in folder.glob(pattern) if file.is_file()]
    return sorted(
        file.relative_to(folder).as_posix()
        for file in files
        if not known & {file.resolve(), file.parent.resolve()}
        and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )


def _vacant(target: Path, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise ParameterError(
            "a name that cannot be one",
            where="--name",
            found=name,
            expected="letters, digits, _ . -, not beginning with a dot",
        )
    place = target / name
    if place.exists() or place.is_symlink():
        raise ParameterError(
            "a collection of this name is there already",
            where=place,
            next_command="choose another --name, or remove it yourself",
        )
    return place
