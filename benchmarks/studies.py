"""Studies to measure on: made in a repository of their own, of any number of points."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from assets.folder import StudyFolder
from assets.processes import environment
from assets.runner import run_stage
from assets.stages import STAGES
from assets.tracking.mlflow_store import prepare_store
from benchmarks.synthetic import passages

WEIGHTS = 9  # of two branches, in steps of 0.1, neither 0


def founded_study(
    root: Path,
    *,
    points: int,
    queries: int,
    passages_each: int = 10,
    collection: Path | None = None,
) -> Path:
    """A study before anything ran, as `rankgate init` makes it.

    Args:
        root: its folder, not there yet.
        points: configurations of the declared grid, about.
        queries: of the made-up collection; each asks for a passage by some of its words.
        passages_each: passages for each query.
        collection: a collection in native form instead of a made-up one.
    """
    home = root / "data" / "collections" / "made"
    if collection is None:
        write_answerable(home, queries, passages_each)
    else:
        shutil.copytree(collection, home)
    run("git", "init", "--quiet", str(root), folder=root)
    scale = ("--scale", "0", "1") if collection is None else ("--scale", "0", "3")
    rankgate(root, "init", ".", "--collection", "data/collections/made", *scale, "--independent")
    constants = list(range(1, max(2, points // WEIGHTS)))
    grid = {"rank_constants": constants, "weight_step": 0.1, "methods": ["rrf", "convex_minmax"]}
    _declare(root, sweep=grid)
    return root


def _declare(root: Path, **sections: dict[str, Any]) -> None:
    """Writes values into sections of a study's parameters."""
    path = root / "params.yaml"
    params: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, values in sections.items():
        params[name] = params.get(name, {}) | values
    path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")


def finished_study(root: Path, *, points: int, queries: int, quick: bool = False) -> Path:
    """The same after every stage but tracking, beside an empty database of MLflow's."""
    founded_study(root, points=points, queries=queries)
    if quick:
        _declare(root, evaluation={"measures": ["nDCG@10"], "resamples": 100})
    folder = StudyFolder(root)
    for stage in STAGES:
        for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
            run_stage(folder, stage.name, branch)
    prepare_store(folder)
    shutil.copytree(root / "mlruns", root / "empty-mlruns")
    return root


def write_answerable(folder: Path, queries: int, passages_each: int) -> None:
    """Passages, and queries that hold every twelfth word of the one that answers them."""
    (folder / "judgments").mkdir(parents=True)
    texts = list(passages(queries * passages_each))
    documents = [{"doc_id": f"d{n:07d}", "text": text} for n, text in enumerate(texts)]
    asked = [{"query_id": f"q{n:05d}", "text": _words(texts[n])} for n in range(queries)]
    judged = [
        {"query_id": f"q{n:05d}", "evidence_id": f"d{n:07d}", "grade": 1} for n in range(queries)
    ]
    files = {"documents": documents, "queries": asked, "judgments/made": judged}
    for name, rows in files.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


def _words(text: str) -> str:
    return " ".join(text.split()[5::12])


def rankgate(root: Path, *arguments: str) -> str:
    """One command of this checkout, in a study's folder."""
    return run(sys.executable, "-m", "assets", *arguments, folder=root)


def run(*command: str, folder: Path) -> str:
    """A command's output; what it said is shown where it fails."""
    checkout = str(Path(__file__).parents[1])
    path = os.pathsep.join([checkout, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment() | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout
