"""Whole, sorted, byte-stable writes, and the reads that belong to them.

A file is written under a temporary name beside its place and renamed: a reader sees the old
file or the new one, never a half. The same content gives the same bytes.
"""

import json
import math
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.errors import ContractError, InputError, MissingError
from pipeline.tables import Table


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path that becomes `path` when the block ends well, and vanishes otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def write_table(path: Path, frame: pl.DataFrame, table: Table) -> None:
    """Checks, sorts and writes a table as Parquet."""
    checked = table.check(frame, where=path)
    with replacing(path) as temporary:
        checked.rechunk().write_parquet(
            temporary, compression="zstd", statistics=True, row_group_size=250_000
        )


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
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
        except UnicodeDecodeError as problem:
            raise InputError(
                "not UTF-8", where=f"{path}:{number}", found=problem.reason, expected="UTF-8"
            ) from problem
        except (ValueError, RecursionError) as problem:
            raise InputError("not JSON", where=f"{path}:{number}", found=problem) from problem
        if not isinstance(value, dict):
            raise InputError(
                "not a JSON object", where=f"{path}:{number}", found=type(value).__name__
            )
        lines.append(value)
    return lines


def append_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Appends lines to a record, in one write to a copy that replaces it.

    A record of blank lines alone begins anew, so that lines are numbered as entries are.
    """
    before = path.read_bytes() if path.exists() else b""
    if not before.strip():
        before = b""
    if before and not before.endswith(b"\n"):
        before += b"\n"
    added = "".join(
        json.dumps(dict(line), ensure_ascii=False, sort_keys=True, allow_nan=False) + "\n"
        for line in lines
    )
    with replacing(path) as temporary:
        temporary.write_bytes(before + added.encode("utf-8"))


def round_significant(value: float, digits: int = 6) -> float:
    """A number rounded to significant digits."""
    if value == 0 or not math.isfinite(value):
        return value
    return float(f"{value:.{digits - 1}e}")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
