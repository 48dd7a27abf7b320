"""Calls DVC and Rankgate as processes of their own, with this interpreter and without telemetry."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from pipeline.errors import RankgateError

QUIET = {
    "DVC_NO_ANALYTICS": "1",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}
LOCKED = "Unable to acquire lock"
ATTEMPTS, PAUSE_SECONDS = 5, 2.0


def environment() -> dict[str, str]:
    """This process's environment, telemetry off, this interpreter's scripts first on the path."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return {**os.environ, **QUIET, "PATH": path}


def dvc(folder: Path, *arguments: str) -> str:
    """Runs DVC in a folder and gives back what it printed to standard output.

    A repository that another DVC process holds is tried again a bounded number of times.

    Raises:
        RankgateError: DVC failed; the last error line says why.
    """
    for attempt in range(ATTEMPTS):
        done = _call([sys.executable, "-m", "dvc", *arguments], folder)
        if done.returncode == 0:
            return done.stdout
        said = done.stdout + done.stderr
        if LOCKED not in said or attempt == ATTEMPTS - 1:
            break
        time.sleep(PAUSE_SECONDS)
    raise RankgateError(
        f"dvc {arguments[0]} failed",
        where=folder,
        found=_reason(said),
        next_command=f"dvc {' '.join(arguments)}",
    )


def _call(command: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(  # noqa: S603 - a fixed program, no shell
        command,
        cwd=folder,
        env=environment(),
        text=True,
        capture_output=True,
        check=False,
    )


def _reason(output: str) -> str:
    """The line that tells why: a stage's own error before DVC's remark that a stage failed."""
    lines = [line for line in output.splitlines() if line.strip()]
    ours = [line for line in lines if line.startswith("rankgate: ")]
    errors = [line for line in lines if line.startswith("ERROR")]
    return (ours or errors or lines or ["nothing printed"])[0]
