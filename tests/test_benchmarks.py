"""Every benchmark runs on less work, compares values on the way, and prints its ratio last."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from assets.processes import environment

ROOT = Path(__file__).parents[1]
BENCHMARKS = [
    "bootstrap",
    "floor",
    "orchestration",
    "retrieval",
    "retrieval_scale",
    "startup",
    "tracking",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_says_what_it_measures_on_and_its_ratio_last(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{name}", "--quick"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[:4]] == [name, "hardware", "versions", "inputs"]
    assert re.fullmatch(r"ratio \d+\.\d\d \(.+\)", lines[-1])
