"""What DVC, Dagster and MLflow add: a whole `dvc repro` against the bare study, same values.

Ours: `dvc repro` of a study of which nothing is there yet (no output, no cache, no run cache), its
test opened beforehand, tracking included: MLflow and Dagster have the results from the opening, so
it looks them up. Theirs: one process that reads the same collection, calls `run_study` and writes
every output and the report. The values of every system are compared first.

    python -m benchmarks.orchestration [--collection FOLDER] [--points N] [--quick]
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from assets.bare import write_study
from assets.folder import StudyFolder
from assets.runner import write_outputs
from assets.stages import BY_NAME, STAGES
from assets.tracking.mlflow_store import prepare_store
from benchmarks.measuring import Pairs, conclude, introduce, processor_seconds, seconds
from benchmarks.studies import founded_study, rankgate, run
from pipeline.collection import read_collection
from pipeline.storage import read_table
from pipeline.study import prepare, run_study
from pipeline.tables import SYSTEMS


def main() -> None:
    """Prints the comparison: seconds a stage, then the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", type=Path, help="In native form; made up without it.")
    parser.add_argument("--points", type=int, default=1_000)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--bare", nargs=2, type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bare:
        _bare(*given.bare, quick=given.quick)
        return
    queries, points, pairs = (24, 18, 1) if given.quick else (300, given.points, given.pairs)
    with tempfile.TemporaryDirectory() as place:
        root, out = Path(place) / "study", Path(place) / "bare"
        founded_study(root, points=points, queries=queries, collection=given.collection)
        branches = len(StudyFolder(root).params.candidates)
        stages = 1 + branches if given.quick else len(STAGES) + branches
        kind = str(given.collection.name) if given.collection else "made-up"
        inputs = {"collection": kind, "points, about": points, "stages": stages}
        introduce("orchestration", ["dvc", "dagster", "mlflow"], inputs)
        measured = _measured(root, out, pairs, quick=given.quick)
    for name, rounds in measured.items():
        print(f"{name} seconds")
        print(rounds.lines("dvc repro", "bare study"))
        over = [a - b for a, b in zip(rounds.ours, rounds.theirs, strict=True)]
        print(f"overhead {statistics.median(over) / stages:.2f} {name} seconds a stage")
    conclude(measured["wall"].slower, "times the bare study's seconds")


def _measured(root: Path, out: Path, pairs: int, *, quick: bool) -> dict[str, Pairs]:
    """Wall and processor seconds; `quick` stops after the branches' lists."""
    repro = [sys.executable, "-m", "dvc", "repro", *(["candidates"] if quick else [])]
    if not quick:
        prepare_store(StudyFolder(root))
        run(*repro, folder=root)
        rankgate(root, "open", "--yes")
    ours, theirs = [], []
    for _ in range(pairs):
        _clear(root)
        shutil.rmtree(out, ignore_errors=True)
        ours.append(_timed(lambda: run(*repro, folder=root)))
        theirs.append(_timed(lambda: _call(root, out, quick=quick)))
        _compare(root / "data", out, quick=quick)
    return {
        name: Pairs([each[name] for each in ours], [each[name] for each in theirs])
        for name in ("wall", "processor")
    }


def _timed(work: Callable[[], object]) -> dict[str, float]:
    wall = list[float]()
    spent = processor_seconds(lambda: wall.append(seconds(work)))
    return {"wall": wall[0], "processor": spent}


def _clear(root: Path) -> None:
    """Nothing of an earlier run: outputs, dvc.lock, DVC's caches, our own."""
    for stage in STAGES:
        shutil.rmtree(root / "data" / stage.name, ignore_errors=True)
    for folder in (".dvc/cache", ".dvc/tmp", ".rankgate"):
        shutil.rmtree(root / folder, ignore_errors=True)
    (root / "dvc.lock").unlink(missing_ok=True)


def _call(root: Path, out: Path, *, quick: bool) -> None:
    asked = ["--bare", str(root), str(out), *(["--quick"] if quick else [])]
    run(sys.executable, "-m", "benchmarks.orchestration", *asked, folder=root)


def _bare(root: Path, out: Path, *, quick: bool) -> None:
    params = StudyFolder(root).params
    collection = read_collection(root / params.collection.path, params=params.collection)
    if not quick:
        write_study(run_study(collection, params), params, out)
        return
    for branch, result in prepare(collection, params).branches.items():
        write_outputs(out, BY_NAME["candidates"], result, params, branch)


def _compare(data: Path, out: Path, *, quick: bool) -> None:
    """The same bytes of the lists; the same values and word at the end."""
    lists = [sorted(each.glob("candidates/*/candidates.parquet")) for each in (data, out)]
    assert [a.read_bytes() for a in lists[0]] == [b.read_bytes() for b in lists[1]] != []
    if quick:
        return
    tables = [read_table(each / "evaluation/systems.parquet", SYSTEMS) for each in (data, out)]
    assert tables[0].equals(tables[1]), "the orchestrated values are not those of the bare study"
    words = [json.loads((each / "decision/decision.json").read_text()) for each in (data, out)]
    assert words[0]["word"] == words[1]["word"]


if __name__ == "__main__":
    main()
