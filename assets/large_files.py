"""Hands the large files of a collection to DVC; judgments and small files stay in git."""

from collections.abc import Iterator
from pathlib import Path

from assets.processes import dvc
from pipeline.errors import RankgateError

# From here on a file is DVC's: git keeps every version of a file whole.
LARGE = 5_000_000
PARTS = ("documents.jsonl*", "queries.jsonl*", "runs/*", "vectors/*")


def large_files(collection: Path) -> list[Path]:
    """Documents, queries, runs and vectors of at least 5 MB that are files and no links."""
    return [path for path in _data(collection) if path.stat().st_size >= LARGE]


def _data(collection: Path) -> Iterator[Path]:
    for pattern in PARTS:
        for path in sorted(collection.glob(pattern)):
            if path.is_file() and not path.is_symlink() and path.suffix != ".dvc":
                yield path


def keep_in_dvc(collection: Path) -> str | None:
    """`dvc add` of a collection's large files.

    Args:
        collection: its folder, whole.

    Returns:
        What was done, or why nothing; None where no file is large.

    Raises:
        RankgateError: DVC failed; the collection stays as it is.
    """
    large = large_files(collection)
    if not large:
        return None
    names = ", ".join(path.relative_to(collection).as_posix() for path in large)
    if not _in_dvc(collection):
        return f"no DVC repository here, so git would keep {names}; run dvc init, then dvc add them"
    try:
        dvc(collection, "add", *(path.relative_to(collection).as_posix() for path in large))
    except RankgateError as problem:
        raise RankgateError(
            "imported, but its large files are not in DVC",
            where=collection,
            found=problem.found,
            next_command=f"dvc add {' '.join(str(path) for path in large)}",
        ) from problem
    return f"in DVC: {names}; git keeps their .dvc files"


def _in_dvc(folder: Path) -> bool:
    here = folder.resolve()
    return any((place / ".dvc").is_dir() for place in (here, *here.parents))
