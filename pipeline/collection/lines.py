"""Lines of a text file, plain or gzipped, cut at newlines only, with their numbers."""

import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import IO, cast

from pipeline.errors import InputError, MissingError
from pipeline.progress import progress

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
# How what is no text, or not yet, begins: what it is, and what makes text of it.
UNREADABLE: Mapping[bytes, tuple[str, str]] = {
    rb"\x1f\x8b": ("a gzip file within a gzip file", "gunzip"),
    rb"PK\x03\x04": ("a zip archive", "unzip"),
    rb"BZh[1-9]1AY&SY": ("a bzip2 file", "bunzip2"),
    rb"\xfd7zXZ\x00": ("an xz file", "unxz"),
    rb"\x28\xb5\x2f\xfd": ("a zstd file", "unzstd"),
    rb"\xff\xfe|\xfe\xff": ("text in UTF-16", "iconv -f UTF-16 -t UTF-8"),
}
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile)


def numbered_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Non-blank lines and their numbers, from 1, without the line end.

    Only a newline ends a line: U+2028 and its kin are part of the text. A carriage return
    before the newline and a byte order mark at the start are dropped.

    Args:
        path: the file; gzipped where its first bytes say so, whatever its name.

    Raises:
        MissingError: the file is not there.
        InputError: the file is a folder, its compression is broken, or it is no text in UTF-8
            by its first bytes.
    """
    _refuse_absent(path)
    try:
        size = path.stat().st_size
        with (
            _opened(path) as handle,
            progress(f"reading {path.name}", size, unit="MB", scale=1_000_000) as advance,
        ):
            file, before = getattr(handle, "fileobj", handle), 0  # the zipped one, where zipped
            for number, raw in enumerate(handle, start=1):
                reached = file.tell()
                advance(reached - before)
                before = reached
                line = raw.removesuffix(b"\n").removesuffix(b"\r")
                if number == 1:
                    _refuse_unreadable(path, raw)
                    line = line.removeprefix(BYTE_ORDER_MARK)
                if line.strip():
                    yield number, line
    except BROKEN as problem:
        raise _broken(path, problem) from problem


def file_bytes(path: Path) -> bytes:
    """The whole file, unzipped where its first bytes say that it is gzipped.

    Raises:
        MissingError, InputError: as `numbered_lines`.
    """
    _refuse_absent(path)
    try:
        with _opened(path) as handle:
            return handle.read()
    except BROKEN as problem:
        raise _broken(path, problem) from problem


def stem(path: Path) -> str:
    """The file's name without its format: `bm25.run.gz` is `bm25`."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] if "." in name.lstrip(".") else name


def run_name(path: Path) -> str:
    """The name of the run that a file holds; a folder's is its own, dots and all."""
    return path.name if path.is_dir() else stem(path)


def is_json_lines(path: Path) -> bool:
    """Whether the name says JSON Lines."""
    return path.name.removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def _opened(path: Path) -> IO[bytes]:
    if not path.is_file():
        return _opened_pipe(path)
    with path.open("rb") as handle:
        zipped = handle.read(2) == _GZIP
    return cast(IO[bytes], gzip.open(path, "rb")) if zipped else path.open("rb")


def _opened_pipe(path: Path) -> IO[bytes]:
    stat = path.stat()
    content = _poured(path, stat.st_dev, stat.st_ino)
    file = io.BytesIO(content)
    return cast(IO[bytes], gzip.open(file)) if content.startswith(_GZIP) else file


@cache
def _poured(path: Path, device: int, inode: int) -> bytes:
    """What comes out of a pipe, kept: it comes once, and readers look twice.

    Args:
        path: the pipe, such as a shell makes of `<(zcat FILE)`.
        device: of what, for another pipe may come to have the same name.
        inode: and where on it.
    """
    return path.read_bytes()


def _refuse_absent(path: Path) -> None:
    if not path.exists():
        raise MissingError(
            "the file is not there", where=path, next_command="look for another name, or dvc pull"
        )
    if path.is_dir():
        raise InputError(
            "a folder stands where a file should",
            where=path,
            expected="a file",
            next_command="name a file in it",
        )


def _refuse_unreadable(path: Path, start: bytes) -> None:
    for beginning, (what, tool) in UNREADABLE.items():
        if re.match(beginning, start):
            raise InputError(
                "a file that is not read as it is",
                where=path,
                found=what,
                expected="text in UTF-8, plain or gzipped once",
                next_command=f"{tool} {path}",
            )


def _broken(path: Path, problem: Exception) -> InputError:
    return InputError(
        "the compressed file is broken",
        where=path,
        found=problem,
        expected="a whole gzip file",
        next_command=f"gzip -t {path}, and fetch it again",
    )
