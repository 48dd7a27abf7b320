"""A study's records: which they are, what puts queries on sides, and which of them were lost."""

import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assets.folder import StudyFolder
from assets.git import git
from pipeline.appending import held
from pipeline.collection import read_collection
from pipeline.errors import MissingError
from pipeline.splits import split_queries
from pipeline.splits.sides import Side, sides_of
from pipeline.storage import read_lines

SIDES = Path("data/sides.jsonl")
LEDGER = Path("data/ledger.jsonl")
TIMES = Path("data/times.jsonl")
# Not a record: sheets for people, which hold text and stay out of git.
WORKSHEETS = Path("data/worksheets")
RECORDS = (SIDES, LEDGER, TIMES)


@dataclass(frozen=True, slots=True)
class Lost:
    """Records that are missing in a study's folder, and that git has.

    Args:
        records: which, relative to the study's folder.
        shown: the same, relative to where the user is.
        command: what brings them back, from where the user is.
    """

    records: Sequence[Path]
    shown: Sequence[str]
    command: str

    def error(self) -> MissingError:
        """The refusal to begin them anew."""
        return MissingError(
            "lost here, and git has it", where=", ".join(self.shown), next_command=self.command
        )


def lost_records(folder: StudyFolder) -> Lost | None:
    """The records that are missing although git has them, in its index or in the last commit.

    A record begun anew would deal the sides again, and forget the openings.

    Returns:
        None where no record is missing, or git does not know those that are.
    """
    missing = [record for record in RECORDS if not (folder.root / record).exists()]
    staged = [one for one in missing if git(folder, "ls-files", "--", f"{one}")]
    others = [one for one in missing if one not in staged]
    committed = [one for one in others if git(folder, "ls-tree", "HEAD", "--", f"{one}")]
    lost = [*staged, *committed]
    if not lost:
        return None
    commands = [*_checkout(folder, "--", staged), *_checkout(folder, "HEAD --", committed)]
    return Lost(lost, [_from_here(folder, one) for one in lost], " && ".join(commands))


def absent_records(folder: StudyFolder, lost: Lost | None) -> list[Path]:
    """The records that are neither here nor in git, relative to where the user is.

    Args:
        folder: the study.
        lost: what `lost_records` found there.
    """
    known = () if lost is None else lost.records
    missing = [one for one in RECORDS if not (folder.root / one).exists() and one not in known]
    return [folder.root / record for record in missing]


def refuse_lost(folder: StudyFolder) -> None:
    """Refuses a study whose records are missing here, while git has them.

    Raises:
        MissingError: names them, and the command that brings them back.
    """
    lost = lost_records(folder)
    if lost is not None:
        raise lost.error()


def _checkout(folder: StudyFolder, source: str, records: Sequence[Path]) -> Iterator[str]:
    if not records:
        return
    top = ("rev-parse", "--show-toplevel")
    if git(folder, *top) == git(StudyFolder(Path()), *top):
        shown = [_from_here(folder, record) for record in records]
        yield f"git checkout {source} {shlex.join(shown)}"
    else:  # git takes paths of the repository only that it is called in
        shown = [f"{record}" for record in records]
        yield f"git -C {shlex.quote(f'{folder.root}')} checkout {source} {shlex.join(shown)}"


def _from_here(folder: StudyFolder, record: Path) -> str:
    return os.path.relpath(folder.root.resolve() / record)


def assign_new_queries(folder: StudyFolder) -> list[Side]:
    """Puts queries that have no side yet on sides and appends them to `data/sides.jsonl`.

    Returns:
        The new sides; a recorded query never changes its own.

    Raises:
        MissingError: a record was lost that git has.
        CollectionError: the collection cannot be read.
        ParameterError: the queries cannot be split as declared.
    """
    refuse_lost(folder)
    path = folder.root / SIDES
    collection = read_collection(
        folder.root / folder.params.collection.path, params=folder.params.collection
    )
    with held(path) as append:
        recorded = sides_of(read_lines(path), where=path) if path.exists() else []
        sides = split_queries(
            collection.queries,
            collection.judgments,
            collection.documents,
            folder.params,
            recorded=recorded,
        )
        if sides:
            append(side.line() for side in sides)
    return sides
