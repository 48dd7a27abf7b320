"""How each thing that stages hand on is read from and written to a study's folder.

A stage's row names what it reads and writes; here each name gets its path under `data/`, its
reader and its writer. Paths are also what DVC depends on.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.folder import StudyFolder
from pipeline import tables
from pipeline.collection import RecordedRun, Vectors, recorded_times
from pipeline.ledger import parse_ledger
from pipeline.params import DenseBranch, RecordedBranch
from pipeline.pieces import Pieces
from pipeline.splits.sides import sides_of
from pipeline.storage import read_json, read_lines, read_table, replacing, write_json, write_table
from pipeline.storage import write_text as write_text_file
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


def _table(table: Table) -> Artifact:
    def read(folder: StudyFolder, branch: str | None) -> pl.DataFrame:
        return read_table(folder.data / _filled(f"{table.path}.parquet", branch), table)

    def write(path: Path, frame: pl.DataFrame) -> None:
        write_table(path, frame, table)

    return Artifact(f"{table.path}.parquet", read, write)


def _json(path: str) -> Artifact:
    def read(folder: StudyFolder, branch: str | None) -> Any:
        return read_json(folder.data / _filled(path, branch))

    return Artifact(path, read, write_json)


def _record(path: str, read_record: Callable[[Path], Any]) -> Artifact:
    return Artifact(path, lambda folder, _: read_record(folder.root / path), in_data=False)


def _of_branches(table: Table, file: str) -> Artifact:
    """One table of all declared branches; a folder of a branch no longer declared is not read."""

    def read(folder: StudyFolder, _: str | None) -> pl.DataFrame:
        parts = [
            _branch_table(folder, name, file).select(pl.lit(name).alias("branch"), pl.all())
            for name in sorted(folder.params.candidates)
        ]
        return table.check(pl.concat(parts), where=folder.data / "candidates")

    return Artifact("candidates", read)


_BRANCH_TABLES = {
    "candidates": tables.BRANCH_CANDIDATES,
    "queries": tables.BRANCH_QUERIES,
    "probes": tables.PROBES,
}


def _branch_table(folder: StudyFolder, branch: str, file: str) -> pl.DataFrame:
    table = _BRANCH_TABLES[file]
    return read_table(folder.data / "candidates" / branch / f"{file}.parquet", table)


def _read_selection(folder: StudyFolder, _: str | None) -> Any:
    # Imported here: it brings the fusion methods, which most stages do without.
    from pipeline.choices import checked_selection

    path = folder.data / "selection" / "selection.json"
    return checked_selection(read_json(path), where=path)


def _read_manifests(folder: StudyFolder, _: str | None) -> dict[str, Any]:
    return {
        name: read_json(folder.data / "candidates" / name / "manifest.json")
        for name in sorted(folder.params.candidates)
    }


def _filled(path: str, branch: str | None) -> str:
    return path.replace("{branch}", branch or "")


def _write_runs(path: Path, runs: Mapping[str, RecordedRun]) -> None:
    for name, run in runs.items():
        write_table(path / f"{name}.parquet", run.results, tables.RECORDED_RUN)
        write_table(path / f"{name}.queries.parquet", run.queries, tables.RECORDED_QUERIES)
    write_json(path / "index.json", sorted(runs))


def _read_run(folder: StudyFolder, branch: str | None) -> RecordedRun | None:
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


def _read_recorded_times(folder: StudyFolder, _: str | None) -> pl.DataFrame:
    """What the declared recorded branches say of their own time."""
    return recorded_times(_read_runs_of_branches(folder, None))


def _read_runs_of_branches(folder: StudyFolder, _: str | None) -> dict[str, RecordedRun]:
    """The declared recorded branches' runs, whole."""
    runs = {name: _read_run(folder, name) for name in sorted(folder.params.candidates)}
    return {name: run for name, run in runs.items() if run is not None}


def _write_vectors(path: Path, vectors: Mapping[str, Vectors]) -> None:
    for name, pair in vectors.items():
        write_table(path / f"{name}.documents.parquet", pair.documents, tables.VECTORS)
        write_table(path / f"{name}.queries.parquet", pair.queries, tables.VECTORS)
    write_json(path / "index.json", sorted(vectors))


def _read_vectors(folder: StudyFolder, branch: str | None) -> Vectors | None:
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


def _write_pieces(path: Path, table: Pieces) -> None:
    # One at a time: all of them together need not fit into memory.
    for number, piece in enumerate(table):
        write_table(path / f"part-{number:04d}.parquet", piece, tables.SWEEP_PER_QUERY)


def _read_pieces(folder: StudyFolder, _: str | None) -> Pieces:
    path = folder.data / "sweep" / "per_query"

    def make() -> Iterator[pl.DataFrame]:
        # By number: the ten-thousandth part's name is longer, and would sort before the others.
        parts = sorted(path.glob("part-*.parquet"), key=lambda part: (len(part.name), part.name))
        for part in parts:
            yield read_table(part, tables.SWEEP_PER_QUERY)
        if not parts:
            yield tables.SWEEP_PER_QUERY.empty()

    return Pieces(make)


def _write_csv(path: Path, frame: pl.DataFrame) -> None:
    with replacing(path) as temporary:
        frame.write_csv(temporary, line_terminator="\n")


def _read_csv(folder: StudyFolder, _: str | None) -> pl.DataFrame:
    return pl.read_csv(folder.data / "sweep" / "sensitivity.csv")


def _read_text(folder: StudyFolder, _: str | None) -> str:
    return (folder.data / "report" / "index.html").read_text(encoding="utf-8")


def _collection(folder: StudyFolder, _: str | None) -> Path:
    return folder.root / folder.params.collection.path


ARTIFACTS: Mapping[str, Artifact] = {
    "collection": Artifact("${collection.path}", _collection, in_data=False),
    "sides": _record("data/sides.jsonl", lambda path: sides_of(read_lines(path), where=path)),
    "ledger": _record("data/ledger.jsonl", lambda path: parse_ledger(read_lines(path), where=path)),
    "times": _record("data/times.jsonl", read_lines),
    "documents": _table(tables.DOCUMENTS),
    "queries": _table(tables.QUERIES),
    "judgments": _table(tables.JUDGMENTS),
    "manifest": _json("snapshot/manifest.json"),
    "recorded_runs": Artifact("snapshot/runs", _read_run, _write_runs),
    "run": Artifact("snapshot/runs", _read_run),
    "recorded_times": Artifact("snapshot/runs", _read_recorded_times),
    "recorded": Artifact("snapshot/runs", _read_runs_of_branches),
    "vectors": Artifact("snapshot/vectors", _read_vectors, _write_vectors),
    "splits": _table(tables.SPLITS),
    "dev_judgments": _table(tables.DEV_JUDGMENTS),
    "test_judgments": _table(tables.TEST_JUDGMENTS),
    "leakage": _json("splits/leakage.json"),
    "branch_candidates": _table(tables.BRANCH_CANDIDATES),
    "branch_queries": _table(tables.BRANCH_QUERIES),
    "branch_probes": _table(tables.PROBES),
    "branch_manifest": _json("candidates/{branch}/manifest.json"),
    "branch_manifests": Artifact("candidates", _read_manifests),
    "candidates": _of_branches(tables.CANDIDATES, "candidates"),
    "candidate_queries": _of_branches(tables.CANDIDATE_QUERIES, "queries"),
    "probes": _of_branches(tables.BRANCH_PROBES, "probes"),
    "pool": _table(tables.POOL),
    "coverage": _table(tables.COVERAGE),
    "composition": _table(tables.COMPOSITION),
    "configurations": _table(tables.CONFIGURATIONS),
    "grids": _table(tables.GRIDS),
    "results": _table(tables.RESULTS),
    "sweep_per_query": Artifact("sweep/per_query", _read_pieces, _write_pieces),
    "sensitivity": Artifact("sweep/sensitivity.csv", _read_csv, _write_csv),
    "selection": Artifact("selection/selection.json", _read_selection, write_json),
    "runs": _table(tables.RUNS),
    "systems": _table(tables.SYSTEMS),
    "per_query": _table(tables.PER_QUERY),
    "comparisons": _table(tables.COMPARISONS),
    "complementarity": _table(tables.COMPLEMENTARITY),
    "bounds": _table(tables.BOUNDS),
    "equal_work": _table(tables.EQUAL_WORKS),
    "branch_value": _table(tables.BRANCH_VALUE),
    "agreement": _table(tables.AGREEMENT),
    "slices": _table(tables.SLICE_MEMBERS),
    "traces": _table(tables.TRACES),
    "diagnosis": _table(tables.DIAGNOSIS),
    "critical": _table(tables.CRITICAL),
    "pool_bias": _table(tables.POOL_BIAS),
    "contexts": _table(tables.CONTEXTS),
    "evaluation_summary": _json("evaluation/summary.json"),
    "faults": _table(tables.FAULTS),
    "authorization": _json("operations/authorization.json"),
    "forbidden": _table(tables.FORBIDDEN),
    "metamorphic": _json("operations/metamorphic.json"),
    "latency": _table(tables.LATENCY),
    "latency_ratios": _table(tables.LATENCY_RATIOS),
    "cost": _table(tables.COST),
    "depths": _table(tables.DEPTHS),
    "operations_summary": _json("operations/summary.json"),
    "decision": _json("decision/decision.json"),
    "html": Artifact("report/index.html", _read_text, write_text_file),
}
