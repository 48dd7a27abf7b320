"""What one artifact is, and the plain kinds: a table, a JSON document, a record."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.folder import StudyFolder
from pipeline.storage import read_json, read_table, write_json, write_table
from pipeline.tables import Table

Reader = Callable[[StudyFolder, str | None], Any]
Writer = Callable[[Path, Any], None]


@dataclass(frozen=True, slots=True)
class Artifact:
    """One thing that a stage reads or writes.

    Args:
        path: under `data/`; `{branch}` stands for the branch's name. For records and the
            collection: under the study's folder (see `in_data`).
        read: gives it to a stage.
        write: takes a path and what a stage returned; None where no stage writes it.
        in_data: whether `path` is under `data/`.
    """

    path: str
    read: Reader
    write: Writer | None = None
    in_data: bool = True


def table_artifact(table: Table) -> Artifact:
    """A table in a file of its own."""

    def read(folder: StudyFolder, branch: str | None) -> pl.DataFrame:
        return read_table(folder.data / _filled(f"{table.path}.parquet", branch), table)

    def write(path: Path, frame: pl.DataFrame) -> None:
        write_table(path, frame, table)

    return Artifact(f"{table.path}.parquet", read, write)


def json_artifact(path: str) -> Artifact:
    """A JSON document."""

    def read(folder: StudyFolder, branch: str | None) -> Any:
        return read_json(folder.data / _filled(path, branch))

    return Artifact(path, read, write_json)


def record_artifact(path: str, read_record: Callable[[Path], Any]) -> Artifact:
    """A record beside the stages' outputs, which no stage writes."""
    return Artifact(path, lambda folder, _: read_record(folder.root / path), in_data=False)


def _filled(path: str, branch: str | None) -> str:
    return path.replace("{branch}", branch or "")
