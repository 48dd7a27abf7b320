"""The benchmarks of sweep and measures run to their ratio; they compare values themselves."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parents[1]


def last_line(*command: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", *command, "--quick"],
        cwd=HERE,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "hardware" in done.stdout
    assert "versions" in done.stdout
    assert "inputs" in done.stdout
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize("name", ["sweep", "sweep_scaling", "sweep_scale"])
def test_it_prints_its_ratio_last(name: str) -> None:
    assert re.match(r"ratio \d+\.\d\d \(", last_line(f"benchmarks.{name}"))


def test_measures_are_those_of_ir_measures_on_recorded_runs(collections: Path) -> None:
    assert re.match(r"ratio \d+\.\d\d \(", last_line("benchmarks.measures", str(collections)))
