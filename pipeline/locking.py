"""One process at a time: a lock that the system lets go when its process ends, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import StorageError

PATIENCE_SECONDS, PAUSE_SECONDS = 30.0, 0.05


@contextmanager
def locked(file: Path, *, what: Path) -> Iterator[None]:
    """Holds a lock file, made where it is absent and removed afterwards.

    The block may rename the file: whoever comes next makes another one. What a killed process
    left of it is no obstacle.

    Args:
        file: the lock file; locking changes nothing of its content.
        what: what it guards, as a message names it.

    Raises:
        StorageError: another process holds it for longer than half a minute.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = _hold(file, what)
    try:
        yield
    finally:
        if _is_at(handle, file):
            file.unlink()
        os.close(handle)


def _hold(file: Path, what: Path) -> int:
    """The locked, open file; its lock goes when it is closed."""
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        handle = _open(file, what)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            pass
        else:
            if _is_at(handle, file):
                return handle
        os.close(handle)  # held, or renamed between opening and locking
        if time.monotonic() > until:
            raise StorageError(
                "another process is writing to it",
                where=what,
                found=f"{file} locked for {PATIENCE_SECONDS:g} s",
                next_command="the same command, once the other one has ended",
            )
        time.sleep(PAUSE_SECONDS)


def _open(file: Path, what: Path) -> int:
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as problem:
        # What stands in the way is named itself: another user's left-over, or a folder.
        place = file if os.path.lexists(file) else what
        raise OSError(problem.errno, problem.strerror, str(place)) from problem


def _is_at(handle: int, path: Path) -> bool:
    """Whether the open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
