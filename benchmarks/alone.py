"""A stage in a process of its own, as `rankgate run` runs it: its seconds and its peak memory."""

import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from assets.folder import StudyFolder
from assets.runner import run_stage


@dataclass(frozen=True, slots=True)
class Spent:
    """What a stage took.

    Args:
        wall: seconds.
        processor: seconds, all threads together.
        peak: resident bytes at most, in GB.
    """

    wall: float
    processor: float
    peak: float

    def line(self, name: str) -> str:
        """For people."""
        return (
            f"{name:<17} {self.wall:8.1f} s   {self.processor:.0f} s of processor"
            f"   {self.peak:.2f} GB at most"
        )


def run_alone(root: Path, stage: str, *branch: str) -> Spent:
    """Runs a stage of the study in that folder; for `candidates`, of one branch."""
    command = [sys.executable, "-m", "benchmarks.alone", str(root), stage, *branch]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return Spent(**json.loads(done.stdout.splitlines()[-1]))


def _measured(root: str, *stage: str) -> dict[str, float]:
    began = time.perf_counter()
    run_stage(StudyFolder(Path(root)), *stage)
    # ru_maxrss would begin with what the parent held, to which a new process owes nothing.
    peak = float(re.findall(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[0]) / 1e6
    wall = time.perf_counter() - began
    return {"wall": wall, "processor": time.process_time(), "peak": peak}


if __name__ == "__main__":
    print(json.dumps(_measured(*sys.argv[1:])))
