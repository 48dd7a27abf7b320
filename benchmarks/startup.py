"""What each stage's process takes before it does anything: its imports, and the heavy ones.

Each stage's `compute` is imported in a fresh process of the runner, several times; the median of
processor seconds is printed with which of the heavy packages came along. The ratio is the slowest
start over the fastest possible one: the runner with its tables and nothing of the stage.

    python -m benchmarks.startup [--quick]
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

from assets.stages import STAGES
from benchmarks.measuring import conclude, introduce, processor_seconds

HEAVY = (
    "bm25s",
    "dagster",
    "dvc",
    "matplotlib",
    "mlflow",
    "numba",
    "scipy",
    "sklearn",
    "wordllama",
)
CODE = """
import sys, importlib
import gc
import assets.__main__, assets.commands.run_
{}
gc.freeze()
print(*[name for name in {!r} if name in sys.modules])
"""


def main() -> None:
    """Prints one line for each stage."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    times = 1 if parser.parse_args().quick else 7
    introduce("startup", ["polars", "numpy", "scipy"], {"starts of each": times})
    runner, _ = _started("", times)
    print(f"{'the runner alone':<18} {runner:.2f} s")
    slowest = runner
    for stage in STAGES:
        module = stage.compute.partition(":")[0]
        spent, heavy = _started(f"importlib.import_module({module!r})", times)
        print(f"{stage.name:<18} {spent:.2f} s   {heavy}")
        slowest = max(slowest, spent)
    conclude(slowest / runner, "times the runner alone, the slowest stage")


def _started(line: str, times: int) -> tuple[float, str]:
    command = [sys.executable, "-c", CODE.format(line, HEAVY)]
    said = list[str]()

    def start() -> None:
        done = subprocess.run(
            command, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=True
        )
        said.append(done.stdout.strip())

    spent = statistics.median(processor_seconds(start) for _ in range(times))
    return spent, said[-1]


if __name__ == "__main__":
    main()
