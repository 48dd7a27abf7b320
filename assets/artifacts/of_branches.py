"""What all declared branches returned, in one table or mapping."""

from typing import Any

import polars as pl

from assets.artifacts.artifact import Artifact
from assets.folder import StudyFolder
from pipeline import tables
from pipeline.storage import read_json, read_table
from pipeline.tables import Table

_BRANCH_TABLES = {
    "candidates": tables.BRANCH_CANDIDATES,
    "queries": tables.BRANCH_QUERIES,
    "probes": tables.PROBES,
}


def of_branches(table: Table, file: str) -> Artifact:
    """One table of all declared branches; a folder of a branch no longer declared is not read."""

    def read(folder: StudyFolder, _: str | None) -> pl.DataFrame:
        parts = [
            _branch_table(folder, name, file).select(pl.lit(name).alias("branch"), pl.all())
            for name in sorted(folder.params.candidates)
        ]
        return table.check(pl.concat(parts), where=folder.data / "candidates")

    return Artifact("candidates", read)


def _branch_table(folder: StudyFolder, branch: str, file: str) -> pl.DataFrame:
    table = _BRANCH_TABLES[file]
    return read_table(folder.data / "candidates" / branch / f"{file}.parquet", table)


def read_manifests(folder: StudyFolder, _: str | None) -> dict[str, Any]:
    """Branch to its manifest."""
    return {
        name: read_json(folder.data / "candidates" / name / "manifest.json")
        for name in sorted(folder.params.candidates)
    }
