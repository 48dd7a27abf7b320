"""Calls DVC as a process of its own, with this interpreter and without telemetry."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from assets.broken_lock import broken_lock
from assets.ending import hearing_interrupts
from assets.killed_dvc import clear
from assets.libraries import install
from pipeline.errors import RankgateError

QUIET = {
    "DVC_NO_ANALYTICS": "1",
    "DAGSTER_DISABLE_TELEMETRY": "1",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    "DO_NOT_TRACK": "true",
}
STARTED = re.compile(r"Running stage '(.+)':")
Told = Callable[[str], None]
# What DVC says when another DVC process holds the repository, or a file that a stage needs.
BUSY = ("Unable to acquire lock", "is busy, it is being blocked by")
# What it says of a lock file that a killed DVC left half written.
TORN = ("dvc.lock' is invalid", "dvc.lock' validation failed")
WITHOUT_GIT = "git init, or in a copy that stays without git: dvc config core.no_scm true"
WITHOUT_LEAVE = re.compile(r"Permission denied: '(.*/\.dvc/tmp/.*)'")
ATTEMPTS, PAUSE_SECONDS = 5, 2.0
WAKING_SECONDS = 0.1
# -P: the folder may hold packages of the user's own that DVC would import for its own.
DVC = (sys.executable, "-P", "-m", "dvc")


def environment() -> dict[str, str]:
    """This process's environment, telemetry off, this interpreter's scripts first on the path."""
    scripts = str(Path(sys.executable).parent)
    path = os.pathsep.join([scripts, os.environ.get("PATH", "")])
    return {**os.environ, **QUIET, "PATH": path}


def dvc(folder: Path, *arguments: str) -> str:
    """Runs DVC in a folder and gives back what it printed to standard output.

    A repository that another DVC process holds is tried again a bounded number of times, and so
    is one where a killed DVC left what can be cleared.

    Raises:
        RankgateError: DVC failed; tells the failing stage's own reason.
    """
    return _done(folder, arguments).stdout


def reproduce(folder: Path, *targets: str, started: Told = lambda _: None) -> str:
    """Runs `dvc repro` and gives back all that DVC and the stages said, their seconds too.

    Args:
        folder: the study's.
        targets: only these stages, in this order; everything that is stale without any.
        started: is told the name of each stage as it starts.

    Raises:
        RankgateError: a stage failed; tells its own reason.
    """

    def heard(line: str) -> None:
        if found := STARTED.match(line):
            started(found[1])

    words = ["repro", *(["--single-item", *targets] if targets else [])]
    done = _done(folder, words, heard)
    return done.stdout + done.stderr


def _done(
    folder: Path, arguments: Sequence[str], heard: Told = lambda _: None
) -> "subprocess.CompletedProcess[str]":
    for attempt in range(1, ATTEMPTS + 1):
        done = _call([*DVC, *arguments], folder, heard)
        if done.returncode == 0:
            return done
        if attempt == ATTEMPTS:
            break
        if clear(folder, done.stderr, lambda: _cache(folder)):
            continue
        if not any(sign in done.stderr for sign in BUSY):
            break
        time.sleep(PAUSE_SECONDS)
    _refuse_known(folder, done.stderr)
    raise DvcError(
        f"dvc {arguments[0]} failed",
        where=folder,
        found=reason(done.stdout + done.stderr),
        next_command=f"dvc {' '.join(arguments)}",
    )


def _cache(folder: Path) -> Path:
    return Path(_call([*DVC, "cache", "dir"], folder).stdout.strip())


def _refuse_known(folder: Path, said: str) -> None:
    """Raises what a user can do something about, told better than DVC tells it."""
    if "No module named dvc" in said:
        raise RankgateError("dvc is not installed here", where=folder, next_command=install("dvc"))
    if "is not a git repository" in said:
        raise RankgateError(
            "DVC looks for a git repository", where=folder, next_command=WITHOUT_GIT
        )
    if any(sign in said for sign in TORN):
        raise broken_lock(folder / "dvc.lock")
    if found := WITHOUT_LEAVE.search(said):
        raise RankgateError(
            "DVC takes a lock even to look, and may not write there",
            where=found[1],
            found="Permission denied",
            next_command="leave to write to the repository's .dvc, or a clone of your own",
        )


def _call(
    command: Sequence[str], folder: Path, heard: Told = lambda _: None
) -> "subprocess.CompletedProcess[str]":
    """Runs a program to its end; an interrupt, or SIGTERM, ends it and everything it started.

    Args:
        command: the program and its arguments.
        folder: where it runs.
        heard: is told each line of its standard output as it comes.
    """
    with hearing_interrupts():
        started = subprocess.Popen(  # noqa: S603 - a fixed program, no shell
            command,
            cwd=folder,
            env=environment(),
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    with started as process:
        said, complained = _Listener(process.stdout, heard), _Listener(process.stderr)
        try:
            said.await_end()
        except BaseException:
            with suppress(ProcessLookupError):  # it may just have ended
                os.killpg(process.pid, signal.SIGINT)
            said.await_end()
            raise
        complained.await_end()
        process.wait()
    return subprocess.CompletedProcess(command, process.returncode, said.text, complained.text)


class DvcError(RankgateError):
    """DVC failed; a stage's reason has lines of its own, which the stage has made fit to show."""

    @property
    def lines(self) -> tuple[str, ...]:
        """As the stage wrote them."""
        return tuple(str(self).split("\n"))


class _Listener(threading.Thread):
    """Takes what a program writes, line by line, so that it never waits for us."""

    def __init__(self, stream: IO[str] | None, heard: Told = lambda _: None) -> None:
        super().__init__(daemon=True)
        self._stream, self._heard, self._lines = stream or (), heard, list[str]()
        self.start()

    def run(self) -> None:
        """Reads to the end."""
        for line in self._stream:
            self._lines.append(line)
            self._heard(line)

    def await_end(self) -> None:
        """Waits; in pieces, since an interrupt wakes no wait once polars has set its handler."""
        while self.is_alive():
            self.join(WAKING_SECONDS)

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._lines)


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
