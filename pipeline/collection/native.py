"""The native form: documents.jsonl, queries.jsonl, judgments/, runs/, vectors/."""

from collections.abc import Iterator
from pathlib import Path

from pipeline.collection.collection import Collection
from pipeline.collection.consistency import check_agreement, map_grades
from pipeline.collection.documents import read_documents
from pipeline.collection.lines import is_json_lines
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.rounds import INLINE, read_round
from pipeline.collection.rows import Row, table_of
from pipeline.collection.runs import read_run_files
from pipeline.collection.vectors import read_vectors
from pipeline.errors import MissingError
from pipeline.params import CollectionParams
from pipeline.tables import DOCUMENTS, JUDGMENTS, QUERIES

FOLDERS = ("judgments", "runs", "vectors")
ASIDE = (".dvc", ".md", ".gitignore")  # lie beside data and are none


def read_collection(path: Path, *, params: CollectionParams | None = None) -> Collection:
    """Reads a collection in native form, every line checked.

    Args:
        path: its folder.
        params: the declared grade scale and the map of foreign grades; without them grades
            are taken as they are.

    Returns:
        The collection.

    Raises:
        MissingError: the folder, documents.jsonl or queries.jsonl is not there.
        CollectionError: every problem, with file and line.
    """
    path = Path(path)
    if not path.is_dir():
        raise MissingError("no collection here", where=path, next_command="rankgate import")
    problems = Problems(path)
    _refuse_files_for_folders(path, problems)
    documents = read_documents(_file(path, "documents"), problems)
    queries, inline = read_queries(_file(path, "queries"), problems)
    judgments, repeated = _read_rounds(path, problems)
    judgments = [*inline, *judgments]
    if params is not None:
        judgments = map_grades(judgments, params, lambda name: _place(path, name), problems)
    runs = read_run_files(data_files(path / "runs"), problems)
    ids = {"documents": list(documents.kept), "queries": list(queries.kept)}
    vectors = read_vectors(path / "vectors", ids, problems)
    problems.raise_if_any()
    collection = Collection(
        table_of(DOCUMENTS, documents.kept.values()),
        table_of(QUERIES, queries.kept.values()),
        table_of(JUDGMENTS, judgments),
        runs,
        vectors,
    )
    dangling = check_agreement(collection, path, problems)
    problems.raise_if_any()
    return collection.noting(
        repeated_documents=documents.repeated,
        repeated_queries=queries.repeated,
        repeated_judgments=repeated,
        **dangling,
    )


def data_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that are data, by name; notes and hidden files lie aside."""
    for file in sorted(folder.iterdir()) if folder.is_dir() else []:
        if not file.name.startswith(".") and not file.name.endswith(ASIDE):
            yield file


def _refuse_files_for_folders(path: Path, problems: Problems) -> None:
    """What lies beside the folder it belongs into would be passed over in silence."""
    for name in FOLDERS:
        stray = path / name if (path / name).is_file() else None
        for file in [stray] if stray else sorted(path.glob(f"{name}.*")):
            if file.is_file() and not file.name.endswith(ASIDE):
                problems.add(
                    file,
                    f"a file stands where a folder of {name} should",
                    expected=f"{path / name}/NAME",
                    next_command=f"move it to {path / name}/",
                )


def _file(path: Path, name: str) -> Path:
    found = [
        file for suffix in (".jsonl", ".jsonl.gz") if (file := path / f"{name}{suffix}").exists()
    ]
    if len(found) != 1:
        raise MissingError(
            f"no {name} here, or two files of them",
            where=path,
            found=", ".join(file.name for file in found) or "nothing",
            expected=f"{name}.jsonl or {name}.jsonl.gz",
            next_command="rankgate import, or dvc pull",
        )
    return found[0]


def _read_rounds(path: Path, problems: Problems) -> tuple[list[Row], int]:
    judgments: list[Row] = []
    repeated = 0
    for file in data_files(path / "judgments"):
        if not is_json_lines(file):
            problems.add(
                file,
                "not a round of judgments",
                expected="ROUND.jsonl",
                next_command="rankgate import reads TREC and BEIR judgments",
            )
            continue
        rows, again = read_round(file, problems)
        judgments += rows
        repeated += again
    return judgments, repeated


def _place(path: Path, round_name: str) -> Path:
    return (
        path / "queries.jsonl" if round_name == INLINE else path / f"judgments/{round_name}.jsonl"
    )
