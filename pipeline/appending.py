"""Appends to records: every line or none, one process at a time.

A record is never written in place. Who appends holds a lock on the record's unfinished copy,
which then replaces the record; what a killed process left of the copy is overwritten.
"""

import errno
import json
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pipeline.locking import locked
from pipeline.storage import mode_of, torn_line

WRITABLE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
Append = Callable[[Iterable[Mapping[str, Any]]], None]


def append_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Appends lines to a record, all of them or none.

    A record of blank lines alone begins anew, so that lines are numbered as entries are.

    Raises:
        StorageError: another process holds the record.
        InputError: its last line is torn.
    """
    with held(path) as append:
        append(lines)


@contextmanager
def held(path: Path, *, copy: Path | None = None) -> Iterator[Append]:
    """Holds a record, so that what is appended fits what was read of it in the same block.

    Args:
        path: the record; where it is a link to a file that may be written to, that file.
        copy: its unfinished copy; beside it where None. One process that names another copy
            would not be waited for.

    Yields:
        What appends lines, as `append_lines` does; to be called once at most.

    Raises:
        StorageError: another process holds it for longer than half a minute.
    """
    path = _followed(path)
    unfinished = copy or _beside(path)
    with locked(unfinished, what=path):
        yield partial(_append, path, unfinished)


def refuse_torn(path: Path) -> None:
    """Refuses a record whose last line is only part of one, before work is done for it.

    Raises:
        InputError: the last line has no end and is not JSON.
    """
    last = path.read_bytes().rsplit(b"\n", 1)[-1] if path.exists() else b""
    if not last.strip():
        return
    try:
        json.loads(last)
    except (ValueError, RecursionError):
        number = path.read_bytes().count(b"\n") + 1
        raise torn_line(path, number) from None


def _append(path: Path, unfinished: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    refuse_torn(path)
    before = path.read_bytes() if path.exists() else b""
    if not before.strip():
        before = b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    added = "".join(
        json.dumps(dict(line), ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"
        for line in lines
    )
    try:
        path.parent.mkdir(exist_ok=True)
        _replace(path, unfinished, before + added.encode("utf-8"))
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from problem


def _followed(path: Path) -> Path:
    """Where a record lies, behind links: a copy in the link's place would part from the shared one.

    A file that nobody may write to stays as it is, for it may be DVC's cache.
    """
    if not path.is_symlink():
        return path
    record = path.resolve()
    return path if record.exists() and not record.stat().st_mode & WRITABLE else record


def _beside(path: Path) -> Path:
    return path.with_name(f".unfinished.{path.name}")


def _replace(path: Path, unfinished: Path, content: bytes) -> None:
    """Puts a new record in the old one's place.

    Nothing is renamed into a mount point, not even on one file system: only what was tried tells.
    The copy elsewhere then stays what is locked, and a second one replaces the record.
    """
    mode = mode_of(path)
    _write(unfinished, content, mode)
    try:
        unfinished.replace(path)
    except OSError as problem:
        if problem.errno != errno.EXDEV:
            raise
        beside = _beside(path)
        try:
            _write(beside, content, mode)
            beside.replace(path)
        finally:
            beside.unlink(missing_ok=True)


def _write(file: Path, content: bytes, mode: int) -> None:
    with file.open("wb") as handle:
        handle.write(content)
        handle.flush()
        os.fsync(handle.fileno())
    file.chmod(mode)
