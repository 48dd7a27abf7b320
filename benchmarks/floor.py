"""The least that a chain of stages adds to its computing, and what ours adds before it computes.

The least: for each stage a process of Python with the libraries of its tables, arithmetic,
parameters and command line, DVC over as many stages that only make a file of the parameters of a
study of 1,000 points, MLflow's client and Dagster imported once. Ours: for each stage the runner
with the stage's own imports, the same DVC, and tracking with what it imports. Processor seconds;
no stage computes.

    python -m benchmarks.floor [--quick]
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import yaml

from assets.processes import dvc, environment
from assets.stages import STAGES, TRACKING, Stage
from benchmarks.measuring import conclude, introduce, processor_seconds
from benchmarks.studies import founded_study

BRANCHES, POINTS, QUERIES = 2, 1_000, 18
RUNNER = "assets.__main__, assets.commands.run_"
LIBRARIES = "polars, numpy, yaml, pydantic, click"
PAGES = "polars, mlflow.tracking, mlflow.store.tracking.sqlalchemy_store, dagster"
OURS = "assets.tracking.mlflow_runs, assets.tracking.dagster_events"


def main() -> None:
    """Prints where the seconds go, and ours over the least."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    times = 1 if parser.parse_args().quick else 5
    stages = [each for each in STAGES for _ in range(BRANCHES if each.per_branch else 1)]
    modules = [stage.compute.partition(":")[0] for stage in stages]
    processes = len(modules) + 1  # tracking
    packages = ["polars", "dvc", "mlflow", "dagster"]
    introduce("floor", packages, {"stages": processes, "times each": times})
    libraries, pages = _started(LIBRARIES, times), _started(PAGES, times)
    driven = _driven([*stages, TRACKING], times)
    starts = {module: _started(f"{RUNNER}, {module}", times) for module in set(modules)}
    tracking = _started(f"{RUNNER}, {PAGES}, {OURS}", times)
    begun = sum(starts[module] for module in modules)
    least, ours = len(modules) * libraries + driven + pages, begun + driven + tracking
    lines = {
        "Python alone": _started("sys", times),
        "Python with polars": _started("polars", times),
        "Python with all that stages need": libraries,
        "the runner": _started(RUNNER, times),
        f"a stage's imports, of {len(modules)}": begun / len(modules),
        "MLflow's client and Dagster": pages,
        "what tracking imports": tracking,
        f"DVC, {processes} stages that make a file": driven,
        "the least, altogether": least,
        "ours, altogether": ours,
    }
    for name, seconds in lines.items():
        print(f"{name:<34} {seconds:5.2f} s")
    conclude(ours / least, "times the least that such a chain adds")


def _started(modules: str, times: int) -> float:
    """A process that imports and ends as our commands end."""
    command = [sys.executable, "-c", f"import gc, {modules}; gc.freeze()"]

    def start() -> None:
        subprocess.run(command, cwd=Path(__file__).parents[1], env=environment(), check=True)

    return _median(start, times)


def _driven(stages: Sequence[Stage], times: int) -> float:
    """DVC over a chain of stages of which nothing is there yet."""
    with tempfile.TemporaryDirectory() as place:
        study, empty, root = (Path(place) / name for name in ("study", "empty", "chain"))
        founded_study(study, points=POINTS, queries=QUERIES)
        empty.mkdir()
        dvc(empty, "init", "--no-scm")
        shutil.copy(study / "params.yaml", empty)
        chain = {str(n): _only_file(n, stage.sections) for n, stage in enumerate(stages)}
        (empty / "dvc.yaml").write_text(yaml.safe_dump({"stages": chain}), encoding="utf-8")

        def drive() -> None:
            shutil.rmtree(root, ignore_errors=True)
            shutil.copytree(empty, root)
            dvc(root, "repro")

        return _median(drive, times)


def _only_file(number: int, sections: Sequence[str]) -> dict[str, str | list[str]]:
    """A stage of DVC's that makes a file after the one before it."""
    return {
        "cmd": f"echo > made-{number}",
        "deps": [] if number == 0 else [f"made-{number - 1}"],
        "params": list(sections),
        "outs": [f"made-{number}"],
    }


def _median(work: Callable[[], object], times: int) -> float:
    return statistics.median(processor_seconds(work) for _ in range(times))


if __name__ == "__main__":
    main()
