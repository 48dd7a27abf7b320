"""Whole, sorted, byte-stable writes, and the reads that belong to them.

A file is written under a temporary name beside its place and renamed: a reader sees the old
file or the new one, never a half. The same content gives the same bytes.
"""

import json
import math
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.conflict_marks import FOUND, is_mark
from pipeline.errors import ContractError, InputError, MissingError, RankgateError, StorageError
from pipeline.tables import Table

# Asked once, while nothing else runs: to ask is to set it for a moment.
UMASK = os.umask(0o022)
os.umask(UMASK)
# What a process has open by itself, under its names on Linux.
OPEN = ("/dev/stdout", "/dev/stderr", "/dev/fd/", "/proc/")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well, and vanishes otherwise.

    A device or a pipe is given the content; to replace `/dev/null` would break the machine.
    """
    if _is_special(path):
        with _pouring(path) as temporary:
            yield temporary
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(mode_of(path))
        temporary.replace(path)
    except RankgateError:
        raise
    except OSError as problem:
        if problem.filename not in (None, name):
            raise
        # A full disk names no file, and nobody knows the temporary one.
        raise OSError(problem.errno, problem.strerror, str(path)) from problem
    finally:
        temporary.unlink(missing_ok=True)


def mode_of(path: Path) -> int:
    """Who may read and write what replaces a file: who could before, or as the user's umask says.

    The owner may always write; DVC takes that away from files that it links to its cache.
    """
    if path.is_file():
        return stat.S_IMODE(path.stat().st_mode) | stat.S_IWUSR
    return 0o666 & ~UMASK


def _is_special(path: Path) -> bool:
    """Whether it can only be written into: a device, a pipe, what a process has open."""
    if str(path.absolute()).startswith(OPEN):  # they may be links to a file
        return True
    return path.exists() and not (path.is_file() or path.is_dir())


@contextmanager
def _pouring(path: Path) -> Iterator[Path]:
    """A temporary path whose content is written into `path` when the block ends well."""
    with tempfile.TemporaryDirectory() as folder:
        temporary = Path(folder, path.name)
        yield temporary
        with path.open("ab") as handle:
            handle.write(temporary.read_bytes())


def write_table(path: Path, frame: pl.DataFrame, table: Table) -> None:
    """Checks, sorts and writes a table as Parquet.

    Raises:
        ContractError: it is not this table.
        StorageError: it cannot be written; most often the disk is full.
    """
    checked = table.check(frame, where=path)
    with replacing(path) as temporary:
        try:
            checked.rechunk().write_parquet(
                temporary, compression="zstd", statistics=True, row_group_size=250_000
            )
        except pl.exceptions.PolarsError as problem:
            # Not always with the system's own error in it: a full disk may be a "transport error".
            raise StorageError(
                "the table cannot be written",
                where=path,
                found=problem,
                next_command="make room on the disk, then run the same command again",
            ) from problem


def read_table(path: Path, table: Table) -> pl.DataFrame:
    """Reads a table that a stage wrote, checked.

    Raises:
        MissingError: the file is not there.
        InputError: the file is not Parquet.
        ContractError: it is not this table.
    """
    if not path.exists():
        raise MissingError("the table is not there", where=path, next_command="dvc repro")
    try:
        frame = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as problem:
        raise InputError(
            "not a Parquet file",
            where=path,
            found=problem,
            expected="the table as its stage wrote it",
            next_command="dvc checkout, or dvc repro",
        ) from problem
    return table.check(frame, where=path)


def to_json(content: object) -> str:
    """Byte-stable JSON: sorted keys, two blanks, a final newline; NaN and infinity are refused."""
    try:
        text = json.dumps(content, ensure_ascii=False, sort_keys=True, indent=2, allow_nan=False)
    except ValueError as problem:
        raise ContractError(
            "JSON cannot hold NaN or infinity", found=problem, expected="finite numbers or null"
        ) from problem
    return text + "\n"


def write_json(path: Path, content: object) -> None:
    """Writes JSON whole (see `to_json`)."""
    write_text(path, to_json(content))


def write_text(path: Path, text: str) -> None:
    """Writes UTF-8 text with newlines as they are, whole."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_json(path: Path) -> Any:
    """Reads a JSON file.

    Raises:
        MissingError: the file is not there.
        InputError: it is not JSON.
    """
    if not path.exists():
        raise MissingError("the file is not there", where=path, next_command="dvc repro")
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as problem:
        raise InputError("not JSON", where=path, found=problem) from problem


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Reads JSON Lines, split at newlines only; a missing file is a missing record.

    Raises:
        MissingError: the file is not there.
        InputError: a line is not a JSON object in UTF-8; names the line.
    """
    if not path.exists():
        raise MissingError("the record is not there", where=path, next_command="rankgate init")
    lines = []
    content = path.read_bytes().split(b"\n")
    for number, line in enumerate(content, start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as problem:
            if is_mark(line):
                raise _conflict(path, number) from problem
            if number == len(content):
                raise torn_line(path, number) from problem
            if isinstance(problem, UnicodeDecodeError):
                raise InputError(
                    "not UTF-8", where=f"{path}:{number}", found=problem.reason, expected="UTF-8"
                ) from problem
            raise InputError("not JSON", where=f"{path}:{number}", found=problem) from problem
        if not isinstance(value, dict):
            raise InputError(
                "not a JSON object", where=f"{path}:{number}", found=type(value).__name__
            )
        lines.append(value)
    return lines


def _conflict(path: Path, number: int) -> InputError:
    return InputError(
        "not JSON",
        where=f"{path}:{number}",
        found=FOUND,
        expected="the lines of both sides, each once",
        next_command=f"take the marks out of {path}, then git add it",
    )


def torn_line(path: Path, number: int) -> InputError:
    """What to say of a last line that is only part of one, as a power failure may leave it."""
    return InputError(
        "the last line is torn",
        where=f"{path}:{number}",
        found="part of a line, without its end",
        expected="whole lines",
        next_command=f"delete line {number} of {path} (git diff {path} shows what is new), "
        "then run what appended it again",
    )


def round_significant(value: float, digits: int = 6) -> float:
    """A number rounded to significant digits."""
    if value == 0 or not math.isfinite(value):
        return value
    return float(f"{value:.{digits - 1}e}")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
