"""What an import found in a source, before anything is written."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.collection.collection import Collection
from pipeline.collection.consistency import check_agreement
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import RatingForm
from pipeline.collection.rows import Row, table_of
from pipeline.errors import MissingError, ParameterError
from pipeline.recorded import RecordedRun
from pipeline.tables import DOCUMENTS, JUDGMENTS, QUERIES


@dataclass(frozen=True, slots=True)
class Source:
    """Where to import from.

    Args:
        path: a folder (or, for ir_datasets, a data set's id); None where single files are given.
        splits: names of qrels to take, `NAME` or `NAME=SIDE`; empty: all that are usual.
        documents: a single file instead of the folder's.
        queries: likewise.
        judgments: likewise.
        runs: run files; added to the folder's.
        trailing: words after the last column of TREC files: `reject` or `ignore`.
        form: columns, labels and sheet of a table of judgments.
    """

    path: Path | str | None = None
    splits: Sequence[str] = ()
    documents: Path | None = None
    queries: Path | None = None
    judgments: Path | None = None
    runs: Sequence[Path] = ()
    trailing: str = "reject"
    form: RatingForm | None = None

    @property
    def folder(self) -> Path | None:
        """The folder, which must be there.

        Raises:
            MissingError: it is not a folder.
        """
        if self.path is None:
            return None
        if not Path(self.path).is_dir():
            raise MissingError(
                "no folder to import from",
                where=self.path,
                next_command="give a folder, or single files with --documents, --queries, ...",
            )
        return Path(self.path)

    def file(self, given: Path | None, *names: str) -> Path | None:
        """The single file given, else the first of these names that the folder has."""
        if given is not None:
            return given
        folder = self.folder
        found = [folder / name for name in names if (folder / name).exists()] if folder else []
        return found[0] if found else None

    def needed(self, given: Path | None, *names: str) -> Path:
        """As `file`.

        Raises:
            MissingError: there is none.
        """
        file = self.file(given, *names)
        if file is None:
            part = names[0].split(".")[0].replace("corpus", "documents")
            raise MissingError(
                "a file to import is not there",
                where=self.path or "the given files",
                found="nothing of that name",
                expected=" or ".join(names),
                next_command=f"name it with --{part}",
            )
        return file

    def refuse_splits(self, format_name: str) -> None:
        """Refuses `splits` for formats that have none."""
        if self.splits:
            raise ParameterError(
                f"format {format_name} has no splits",
                where="--split",
                found=", ".join(self.splits),
                expected="--split with beir or ir_datasets",
                next_command="leave --split out; native queries name their side in `split`",
            )


@dataclass(slots=True)
class Found:
    """Everything that will be written.

    Args:
        documents: rows, or a file to take as it is.
        queries: rows, or a file to take as it is.
        rounds: judgments by round: rows, or a file to take as it is.
        collection: all of it as tables, in agreement with itself.
        runs: file name to a file taken as it is, or to the lines it becomes.
        vectors: files taken as they are.
        dropped: reason to number of lines, fields or queries left behind.
        listed: the same reason to their ids, where they have some.
        notes: sentences a person should read.
        read: the source's files that were read.
    """

    documents: list[Row] | Path
    queries: list[Row] | Path
    rounds: Mapping[str, list[Row] | Path]
    collection: Collection
    runs: Mapping[str, Path | list[str]] = field(default_factory=dict)
    vectors: Sequence[Path] = ()
    dropped: Counter[str] = field(default_factory=Counter)
    listed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    read: Sequence[Path | None] = ()


def agreed(
    where: object,
    documents: list[Row],
    queries: list[Row],
    judgments: list[Row],
    runs: Mapping[str, RecordedRun],
    problems: Problems,
) -> Collection:
    """The parts as one collection that agrees with itself.

    Raises:
        CollectionError: everything noted so far, and what the parts disagree on.
    """
    for name, rows in (("documents", documents), ("queries", queries)):
        if not rows:
            problems.add(where, f"no {name}", found="nothing to take", expected="at least one")
    problems.raise_if_any()
    collection = Collection(
        table_of(DOCUMENTS, documents),
        table_of(QUERIES, queries),
        table_of(JUDGMENTS, judgments),
        runs,
    )
    dangling = check_agreement(collection, where, problems)
    problems.raise_if_any()
    return collection.noting(**dangling)


def counted(collection: Collection) -> dict[str, int]:
    """How much of everything there is, and what dangles."""
    return {
        "documents": collection.documents.height,
        "queries": collection.queries.height,
        "judgments": collection.judgments.height,
        "runs": len(collection.runs),
        **collection.notes,
    }
