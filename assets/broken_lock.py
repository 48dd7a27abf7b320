"""What to say of a dvc.lock that cannot be read: killed, or two sides of a merge in it."""

from pathlib import Path

from pipeline.conflict_marks import FOUND, first_mark
from pipeline.errors import InputError

MEND_LOCK = "git checkout dvc.lock, or delete it where git has none; then dvc repro"
CHOOSE_SIDE = "git checkout --ours dvc.lock (or --theirs: either will do), then dvc repro"


def broken_lock(path: Path) -> InputError:
    """The error, with what mends the file.

    Args:
        path: dvc.lock.
    """
    marked = first_mark(path.read_bytes())
    if marked is not None:
        where = f"{path}:{marked}"
        return InputError("not what DVC writes", where=where, found=FOUND, next_command=CHOOSE_SIDE)
    return InputError(
        "not what DVC writes; it may have been killed while it wrote it",
        where=path,
        next_command=MEND_LOCK,
    )
