"""Import into the native form: whole or not at all, and never over something else."""

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pipeline.collection.import_beir import find_beir
from pipeline.collection.import_ir_datasets import find_ir_datasets
from pipeline.collection.import_native import find_native
from pipeline.collection.import_trec import find_trec
from pipeline.collection.rows import Row
from pipeline.collection.sources import Found, Source
from pipeline.errors import ParameterError
from pipeline.storage import write_json

NAME = re.compile(r"^(?!\.)[A-Za-z0-9_.-]+$")
DERIVED = {"line", "round"}  # where a row came from; not part of what a file says
DEFAULTS = {"assessor": "", "status": "judged"}  # go without saying

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
        dropped: reason to number of lines or fields left behind.
        notes: sentences a person should read.
    """

    name: str
    format: str
    path: Path
    counts: Mapping[str, int]
    dropped: Mapping[str, int]
    notes: Sequence[str]


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
) -> ImportReport:
    """Writes a collection in native form into `target/name`.

    Args:
        source: a folder, or a data set's id for ir_datasets; None where single files are given.
        format: jsonl (native), beir, trec or ir_datasets.
        target: the folder of collections, such as `data/collections`.
        name: the new collection's name.
        splits: BEIR's qrels to take, `NAME` or `NAME=SIDE` (dev, test, train, reserve).
        documents: a single file instead of the folder's.
        queries: likewise.
        judgments: likewise.
        runs: run files; added to the folder's.
        link: files that are taken as they are (runs; all of a native collection) become links
            instead of copies. What is converted is always written.

    Returns:
        Counts, what was dropped and why; also written to `import.json` there.

    Raises:
        ParameterError: no such format, a name that cannot be one, or a collection of that name.
        MissingError: something to import is not there.
        CollectionError: every problem of the source, with file and line.
    """
    if format not in FORMATS:
        raise ParameterError("no such format", found=format, expected=", ".join(FORMATS))
    place = _vacant(Path(target), name)
    found = FORMATS[format](
        Source(source, tuple(splits), documents, queries, judgments, tuple(map(Path, runs)))
    )
    report = ImportReport(name, format, place, found.counts, dict(found.dropped), found.notes)
    with _whole(place) as folder:
        _write(found, folder, place, link=link)
        write_json(folder / "import.json", {**asdict(report), "path": name})
    return report


def _vacant(target: Path, name: str) -> Path:
    if not NAME.match(name):
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


@contextmanager
def _whole(place: Path) -> Iterator[Path]:
    """A folder that becomes `place` when the block ends well, and vanishes otherwise."""
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    try:
        yield folder
        folder.chmod(0o755)
        folder.rename(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _write(found: Found, folder: Path, place: Path, *, link: bool) -> None:
    _put(found.documents, folder, place, "documents.jsonl", link=link)
    _put(found.queries, folder, place, "queries.jsonl", link=link)
    (folder / "judgments").mkdir()
    for name, judgments in found.rounds.items():
        _put(judgments, folder, place, f"judgments/{name}.jsonl", link=False)
    for name, file in found.runs.items():
        _put(file, folder, place, f"runs/{name}", link=link)
    for file in found.vectors:
        _put(file, folder, place, f"vectors/{file.name}", link=link)


def _put(content: list[Row] | Path, folder: Path, place: Path, name: str, *, link: bool) -> None:
    """Writes rows, or takes a file over; a gzipped one keeps its ending."""
    if isinstance(content, list):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        with file.open("w", encoding="utf-8", newline="\n") as handle:
            handle.writelines(_line(row) for row in content)
        return
    ending = ".gz" if content.name.endswith(".gz") and not name.endswith(".gz") else ""
    file = folder / f"{name}{ending}"
    file.parent.mkdir(exist_ok=True)
    if link:
        # Relative to the final place: the folder is renamed once it is whole.
        final = place / file.relative_to(folder)
        file.symlink_to(os.path.relpath(content.resolve(), final.parent.resolve()))
    else:
        shutil.copyfile(content, file)


def _line(row: Mapping[str, Any]) -> str:
    said = {
        name: value
        for name, value in row.items()
        if name not in DERIVED and value != DEFAULTS.get(name, row)
    }
    return json.dumps(said, ensure_ascii=False, allow_nan=False) + "\n"
