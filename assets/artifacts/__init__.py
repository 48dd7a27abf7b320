"""How each thing that stages hand on is read from and written to a study's folder.

A stage's row names what it reads and writes; here each name gets its path under `data/`, its
reader and its writer. Paths are also what DVC depends on.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts.artifact import Artifact, json_artifact, record_artifact, table_artifact
from assets.artifacts.in_pieces import read_pieces, write_pieces
from assets.artifacts.made_elsewhere import (
    read_document_vectors,
    read_recorded_snapshots,
    read_recorded_times,
    read_run,
    read_runs_of_branches,
    read_vectors,
    write_runs,
    write_vectors,
)
from assets.artifacts.of_branches import of_branches, read_manifests
from assets.folder import StudyFolder
from pipeline import tables
from pipeline.ledger import parse_ledger
from pipeline.storage import read_json, read_lines, replacing, write_json
from pipeline.storage import write_text as write_text_file


def _read_sides(path: Path) -> Any:
    # Imported here: it brings the stage of splits, which all others do without.
    from pipeline.splits.sides import sides_of

    return sides_of(read_lines(path), where=path)


def _read_selection(folder: StudyFolder, _: str | None) -> Any:
    # Imported here: it brings the fusion methods, which most stages do without.
    from pipeline.choices import checked_selection

    path = folder.data / "selection" / "selection.json"
    return checked_selection(read_json(path), where=path)


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
    "sides": record_artifact("data/sides.jsonl", _read_sides),
    "ledger": record_artifact(
        "data/ledger.jsonl", lambda path: parse_ledger(read_lines(path), where=path)
    ),
    "times": record_artifact("data/times.jsonl", read_lines),
    "documents": table_artifact(tables.DOCUMENTS),
    "queries": table_artifact(tables.QUERIES),
    "judgments": table_artifact(tables.JUDGMENTS),
    "manifest": json_artifact("snapshot/manifest.json"),
    "recorded_runs": Artifact("snapshot/runs", read_run, write_runs),
    "run": Artifact("snapshot/runs", read_run),
    "recorded_times": Artifact("snapshot/runs", read_recorded_times),
    "recorded_snapshots": Artifact("snapshot/runs", read_recorded_snapshots),
    "recorded": Artifact("snapshot/runs", read_runs_of_branches),
    "vectors": Artifact("snapshot/vectors", read_vectors, write_vectors),
    "splits": table_artifact(tables.SPLITS),
    "dev_judgments": table_artifact(tables.DEV_JUDGMENTS),
    "test_judgments": table_artifact(tables.TEST_JUDGMENTS),
    "leakage": json_artifact("splits/leakage.json"),
    "branch_candidates": table_artifact(tables.BRANCH_CANDIDATES),
    "branch_queries": table_artifact(tables.BRANCH_QUERIES),
    "branch_probes": table_artifact(tables.PROBES),
    "branch_manifest": json_artifact("candidates/{branch}/manifest.json"),
    "branch_manifests": Artifact("candidates", read_manifests),
    "document_vectors": Artifact("snapshot/vectors", read_document_vectors),
    "candidates": of_branches(tables.CANDIDATES, "candidates"),
    "candidate_queries": of_branches(tables.CANDIDATE_QUERIES, "queries"),
    "probes": of_branches(tables.BRANCH_PROBES, "probes"),
    "pool": table_artifact(tables.POOL),
    "coverage": table_artifact(tables.COVERAGE),
    "composition": table_artifact(tables.COMPOSITION),
    "configurations": table_artifact(tables.CONFIGURATIONS),
    "grids": table_artifact(tables.GRIDS),
    "depth_recall": table_artifact(tables.DEPTH_RECALL),
    "results": table_artifact(tables.RESULTS),
    "sweep_per_query": Artifact("sweep/per_query", read_pieces, write_pieces),
    "sensitivity": Artifact("sweep/sensitivity.csv", _read_csv, _write_csv),
    "selection": Artifact("selection/selection.json", _read_selection, write_json),
    "runs": table_artifact(tables.RUNS),
    "systems": table_artifact(tables.SYSTEMS),
    "per_query": table_artifact(tables.PER_QUERY),
    "comparisons": table_artifact(tables.COMPARISONS),
    "complementarity": table_artifact(tables.COMPLEMENTARITY),
    "bounds": table_artifact(tables.BOUNDS),
    "equal_work": table_artifact(tables.EQUAL_WORKS),
    "branch_value": table_artifact(tables.BRANCH_VALUE),
    "agreement": table_artifact(tables.AGREEMENT),
    "slices": table_artifact(tables.SLICE_MEMBERS),
    "traces": table_artifact(tables.TRACES),
    "diagnosis": table_artifact(tables.DIAGNOSIS),
    "critical": table_artifact(tables.CRITICAL),
    "pool_bias": table_artifact(tables.POOL_BIAS),
    "contexts": table_artifact(tables.CONTEXTS),
    "evaluation_summary": json_artifact("evaluation/summary.json"),
    "faults": table_artifact(tables.FAULTS),
    "authorization": json_artifact("operations/authorization.json"),
    "forbidden": table_artifact(tables.FORBIDDEN),
    "metamorphic": json_artifact("operations/metamorphic.json"),
    "latency": table_artifact(tables.LATENCY),
    "latency_ratios": table_artifact(tables.LATENCY_RATIOS),
    "cost": table_artifact(tables.COST),
    "depths": table_artifact(tables.DEPTHS),
    "operations_summary": json_artifact("operations/summary.json"),
    "decision": json_artifact("decision/decision.json"),
    "html": Artifact("report/index.html", _read_text, write_text_file),
}


def stored(folder: StudyFolder, name: str) -> Any:
    """What a study holds under a name of `ARTIFACTS`; of branches, all of them together.

    Raises:
        MissingError: it is not there.
    """
    return ARTIFACTS[name].read(folder, None)


def is_stored(folder: StudyFolder, name: str) -> bool:
    """Whether a stage has written it."""
    return (folder.data / ARTIFACTS[name].path).exists()
