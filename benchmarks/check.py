"""What `rankgate check` expects of a study's first run, against what then happens.

For each study: seconds of `dvc repro`, the largest process, and the bytes that the run adds on
disk, DVC's copies and the pages' databases included; then processor seconds of selection by itself,
which a grid of many configurations makes the longest stage. The sample of this repository, and any
collection that `rankgate import` takes, recorded runs too.

    python -m benchmarks.check [--quick | --only] [--imported "FOLDER --format beir"]...
    python -m benchmarks.check --only --imported "COLLECTIONS/dl19-passage-runs --format trec"
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter, process_time

from assets.checking import cost
from assets.checking.extent import extent_of
from assets.checking.inputs import read_inputs
from assets.checking.seconds import STARTS, choosing, seconds, slowness
from assets.folder import StudyFolder
from assets.processes import DVC, environment
from benchmarks.alone import run_alone
from benchmarks.measuring import conclude, introduce
from benchmarks.studies import founded_study, rankgate, run
from pipeline.grid.memory import tried_points

ROOT = Path(__file__).parents[1]
WITHIN = 2.0


def main() -> None:
    """Prints both figures for each study, and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", action="store_true", help="without this repository's sample")
    parser.add_argument("--imported", action="append", type=shlex.split, default=[])
    given = parser.parse_args()
    introduce(
        "check", ["dvc", "mlflow", "dagster"], {"studies": len(given.imported) + (not given.only)}
    )
    worst = 1.0
    with tempfile.TemporaryDirectory() as place:
        for root in _studies(Path(place), given):
            worst = max(worst, *_compared(StudyFolder(root)))
    conclude(worst, f"the worst expectation's factor; {WITHIN:g} is allowed")


def _studies(place: Path, given: argparse.Namespace) -> Iterator[Path]:
    if given.quick:
        yield founded_study(place / "made", points=60, queries=60)
        return
    if not given.only:
        run("git", "clone", "--quiet", str(ROOT), str(place / "rankgate"), folder=place)
        yield place / "rankgate"
    for source, *options in given.imported:
        folder = Path(source).resolve()
        root = place / folder.name
        run("git", "init", "--quiet", str(root), folder=place)
        rankgate(root, "import", str(folder), *options, "--name", folder.name)
        rankgate(root, "init", ".", "--collection", f"data/collections/{folder.name}")
        yield root


def _compared(folder: StudyFolder) -> list[float]:
    """Prints a study's expectations beside the facts; the factors they are off by."""
    inputs, _ = read_inputs(folder, folder.params)
    if inputs.collection is None:
        sys.exit(f"{folder.root}: the collection cannot be read")
    extent = extent_of(inputs.collection, folder.params, tried_points(folder.params), inputs)
    expected = {
        "seconds": seconds(extent, folder.params) * slowness(),
        "GB of memory": cost.memory(extent, folder.params) / 1e9,
        "MB of disk": cost.disk(extent, folder.params) / 1e6,
    }
    before = _bytes(folder.root)
    spent, resident = _repro(folder.root)
    found = {
        "seconds": spent,
        "GB of memory": resident / 1e9,
        "MB of disk": (_bytes(folder.root) - before) / 1e6,
    }
    # Asked and answered in processor seconds, side by side: a load that changes spoils neither.
    selecting = STARTS["selection"] + choosing(extent)
    expected["s of selection"] = selecting * slowness(process_time)
    found["s of selection"] = run_alone(folder.root, "selection").processor
    factors = [max(expected[one] / found[one], found[one] / expected[one]) for one in found]
    for one, factor in zip(found, factors, strict=True):
        print(
            f"{folder.root.name:<20} {one:<14} expected {expected[one]:8.2f}"
            f"   found {found[one]:8.2f}   factor {factor:.2f}"
        )
    sys.stdout.flush()
    return factors


def _repro(root: Path) -> tuple[float, int]:
    """Seconds of a run, and the resident bytes of the largest process below it."""
    began = perf_counter()
    with subprocess.Popen(
        [*DVC, "repro", "--quiet"], cwd=root, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{root}: dvc repro failed")
    return perf_counter() - began, usage.ru_maxrss * 1024


def _bytes(folder: Path) -> int:
    """Of everything under a folder but git's own."""
    done = subprocess.run(
        ["du", "--summarize", "--bytes", "--exclude=.git", str(folder)],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[0])


if __name__ == "__main__":
    main()
