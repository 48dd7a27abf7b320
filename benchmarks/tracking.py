"""What one configuration costs to record in MLflow, against plain fluent logging.

Ours: `record_study` on a finished study: a run for it with the whole grid as a table and as metric
steps, and runs of their own for the best configurations (`tracking.children`, 200). Theirs: what
one writes by hand: `start_run`, `log_params`, `log_metrics` for each configuration, in the same
kind of database. Both record every configuration with every value.

    python -m benchmarks.tracking [--points N] [--pairs N] [--quick]
"""

import argparse
import logging
import os
import shutil
import tempfile
from itertools import count
from pathlib import Path
from typing import Any

from assets.folder import StudyFolder
from assets.processes import QUIET
from assets.results import Results
from assets.tracking.mlflow_content import grid
from assets.tracking.mlflow_runs import CHILDREN_HERE
from benchmarks.measuring import alternate, conclude, introduce
from benchmarks.studies import finished_study


def main() -> None:
    """Prints the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=500, help="A second grid has as many.")
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    points, pairs = (20, 1) if given.quick else (given.points, given.pairs)
    os.environ.update(QUIET)
    logging.getLogger("mlflow").setLevel(logging.WARNING)
    with tempfile.TemporaryDirectory() as place:
        root = finished_study(Path(place) / "study", points=points, queries=60, quick=given.quick)
        whole = grid(Results(StudyFolder(root)))
        inputs = {"configurations": whole.height, "children": _children(root)}
        introduce("tracking", ["mlflow"], inputs)
        numbers = count()

        def ours() -> None:
            from assets.tracking.mlflow_runs import record_study

            record_study(StudyFolder(_copied(root, next(numbers))))

        def theirs() -> None:
            _fluent(Path(place) / f"fluent-{next(numbers)}", whole.to_dicts())

        pairs_of_seconds = alternate(ours, theirs, pairs)
    print(pairs_of_seconds.lines("the study, all of it", "fluent, each configuration"))
    for name, spent in (("ours", pairs_of_seconds.ours), ("fluent", pairs_of_seconds.theirs)):
        print(
            f"{name}: {1000 * sorted(spent)[len(spent) // 2] / whole.height:.2f} ms a configuration"
        )
    conclude(pairs_of_seconds.faster, "times faster per configuration than fluent logging")


def _children(root: Path) -> int:
    declared = StudyFolder(root).params.tracking.children
    return CHILDREN_HERE if declared is None else declared


def _copied(root: Path, number: int) -> Path:
    """The study with an empty database, in a new place: MLflow keeps a seen database open."""
    copy = root.parent / f"study-{number}"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns("mlruns", ".dvc", ".git"))
    (copy / ".dvc").mkdir()
    (copy / "empty-mlruns").rename(copy / "mlruns")
    return copy


def _fluent(home: Path, rows: list[dict[str, Any]]) -> None:
    import mlflow

    home.mkdir()
    shutil.copy(home.parent / "study" / "empty-mlruns" / "mlflow.db", home / "mlflow.db")
    mlflow.set_tracking_uri(f"sqlite:///{home / 'mlflow.db'}")
    mlflow.set_experiment("grid")
    with mlflow.start_run(run_name="study"):
        for row in rows:
            with mlflow.start_run(run_name=row["configuration"], nested=True):
                said = {name: value for name, value in row.items() if value is not None}
                values = {n.replace("@", "_at_"): v for n, v in said.items() if "@" in n}
                mlflow.log_params({n: v for n, v in said.items() if "@" not in n})
                mlflow.log_metrics(values)


if __name__ == "__main__":
    main()
