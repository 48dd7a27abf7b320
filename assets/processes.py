"""Calls DVC as a process of its own, with this interpreter and without telemetry."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from assets.libraries import install
from pipeline.errors import RankgateError

QUIET = {
    "DVC_NO_ANALYTICS": "1",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}
# What DVC says when another DVC process holds the repository, or a file that a stage needs.
BUSY = ("Unable to acquire lock", "is busy, it is being blocked by")
WITHOUT_GIT = "git init, or in a copy that stays without git: dvc config core.no_scm true"
ATTEMPTS, PAUSE_SECONDS = 5, 2.0
# -P: the folder may hold packages of the user's own that DVC would import for its own.
DVC = (sys.executable, "-P", "-m", "dvc")


def environment() -> dict[str, str]:
    """This process's environment, telemetry off, this interpreter's scripts first on the path."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return {**os.environ, **QUIET, "PATH": path}


def dvc(folder: Path, *arguments: str) -> str:
    """Runs DVC in a folder and gives back what it printed to standard output.

    A repository that another DVC process holds is tried again a bounded number of times.

    Raises:
        RankgateError: DVC failed; tells the failing stage's own reason.
    """
    return _done(folder, arguments).stdout


def reproduce(folder: Path, *targets: str) -> str:
    """Runs `dvc repro` and gives back all that DVC and the stages said, their seconds too.

    Args:
        folder: the study's.
        targets: only these stages, in this order; everything that is stale without any.

    Raises:
        RankgateError: a stage failed; tells its own reason.
    """
    done = _done(folder, ["repro", *(["--single-item", *targets] if targets else [])])
    return done.stdout + done.stderr


def _done(folder: Path, arguments: Sequence[str]) -> "subprocess.CompletedProcess[str]":
    for attempt in range(1, ATTEMPTS + 1):
        done = _call([*DVC, *arguments], folder)
        if done.returncode == 0:
            return done
        if attempt == ATTEMPTS or not any(sign in done.stderr for sign in BUSY):
            break
        time.sleep(PAUSE_SECONDS)
    if "No module named dvc" in done.stderr:
        raise RankgateError("dvc is not installed here", where=folder, next_command=install("dvc"))
    if "is not a git repository" in done.stderr:
        raise RankgateError(
            "DVC looks for a git repository", where=folder, next_command=WITHOUT_GIT
        )
    raise RankgateError(
        f"dvc {arguments[0]} failed",
        where=folder,
        found=reason(done.stdout + done.stderr),
        next_command=f"dvc {' '.join(arguments)}",
    )


def _call(command: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """Runs a program to its end; an interrupt reaches it and everything it started."""
    with subprocess.Popen(  # noqa: S603 - a fixed program, no shell
        command,
        cwd=folder,
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        try:
            out, err = process.communicate()
        except BaseException:
            os.killpg(process.pid, signal.SIGINT)
            process.communicate()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def reason(output: str) -> str:
    """Why DVC failed: a stage's own error with its indented lines, else what was said last.

    Args:
        output: all that was printed.
    """
    lines = [line for line in output.splitlines() if line.strip()]
    for number, line in enumerate(lines):
        if line.startswith("rankgate: "):
            return "\n".join([line, *_indented(lines[number + 1 :])])
    for number, line in enumerate(lines):
        if line.startswith("ERROR"):
            before = lines[number - 1] if number and _is_exception(lines[:number]) else ""
            return f"{before}; {line}" if before else line
    return lines[-1] if lines else "nothing printed"


def _indented(lines: Sequence[str]) -> list[str]:
    end = next((n for n, line in enumerate(lines) if not line.startswith("  ")), len(lines))
    return list(lines[:end])


def _is_exception(lines: Sequence[str]) -> bool:
    """Whether a traceback ends here: its last line names the exception."""
    return len(lines) > 1 and lines[-2].startswith("  ") and not lines[-1].startswith(" ")
