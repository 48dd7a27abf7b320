"""Runs and vectors that were made elsewhere, as the snapshot keeps them."""

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from assets.folder import StudyFolder
from pipeline import tables
from pipeline.params import DenseBranch, RecordedBranch
from pipeline.recorded import RecordedRun, Vectors, recorded_snapshots, recorded_times
from pipeline.storage import read_json, read_table, write_json, write_table


def write_runs(path: Path, runs: Mapping[str, RecordedRun]) -> None:
    """Each run under its name, and which there are."""
    for name, run in runs.items():
        write_table(path / f"{name}.parquet", run.results, tables.RECORDED_RUN)
        write_table(path / f"{name}.queries.parquet", run.queries, tables.RECORDED_QUERIES)
    write_json(path / "index.json", sorted(runs))


def read_run(folder: StudyFolder, branch: str | None) -> RecordedRun | None:
    """The run that a branch is made of; None where it is made of none, or of one not there."""
    options = folder.params.candidates[branch or ""]
    if not isinstance(options, RecordedBranch):
        return None
    path = folder.data / "snapshot" / "runs"
    if options.run not in read_json(path / "index.json"):
        return None
    return RecordedRun(
        read_table(path / f"{options.run}.parquet", tables.RECORDED_RUN),
        read_table(path / f"{options.run}.queries.parquet", tables.RECORDED_QUERIES),
    )


def read_recorded_times(folder: StudyFolder, _: str | None) -> pl.DataFrame:
    """What the declared recorded branches say of their own time."""
    return recorded_times(read_runs_of_branches(folder, None))


def read_recorded_snapshots(folder: StudyFolder, _: str | None) -> pl.DataFrame:
    """The states of the index that the declared recorded branches say they were answered from."""
    return recorded_snapshots(read_runs_of_branches(folder, None))


def read_runs_of_branches(folder: StudyFolder, _: str | None) -> dict[str, RecordedRun]:
    """The declared recorded branches' runs, whole."""
    runs = {name: read_run(folder, name) for name in sorted(folder.params.candidates)}
    return {name: run for name, run in runs.items() if run is not None}


def write_vectors(path: Path, vectors: Mapping[str, Vectors]) -> None:
    """Each pair under its name, and which there are."""
    for name, pair in vectors.items():
        write_table(path / f"{name}.documents.parquet", pair.documents, tables.VECTORS)
        write_table(path / f"{name}.queries.parquet", pair.queries, tables.VECTORS)
    write_json(path / "index.json", sorted(vectors))


def read_vectors(folder: StudyFolder, branch: str | None) -> Vectors | None:
    """The vectors that a branch searches; None where it searches none made elsewhere."""
    options = folder.params.candidates[branch or ""]
    if not isinstance(options, DenseBranch) or options.vectors is None:
        return None
    path = folder.data / "snapshot" / "vectors"
    if options.vectors not in read_json(path / "index.json"):
        return None
    return Vectors(
        read_table(path / f"{options.vectors}.documents.parquet", tables.VECTORS),
        read_table(path / f"{options.vectors}.queries.parquet", tables.VECTORS),
    )


def read_document_vectors(folder: StudyFolder, _: str | None) -> pl.DataFrame | None:
    """Those of the branch that an ablation measures likeness by, where one is declared."""
    branch = folder.params.mmr_branch
    pair = None if branch is None else read_vectors(folder, branch)
    return None if pair is None else pair.documents
