"""Runs a command line of Rankgate's or DVC's, and dies of SIGKILL at its n-th change to the files.

    python -m tests.assets.dying N rankgate-arguments …
    python -m tests.assets.dying N dvc arguments …
    python -m tests.assets.dying N cut dvc arguments …

It dies just before the change, or with `cut` just after the file to be written was emptied. With
N 0 it lives, and writes to standard error what it changed, and last how many changes that were.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

WRITING = os.O_WRONLY | os.O_RDWR
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.truncate"}


def dying(
    fatal: int, changes: list[str], *, cut: bool = False
) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that notes changes to files, and kills this process at one of them."""

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            flags = arguments[2]
            if not (isinstance(flags, int) and flags & WRITING):
                return
        elif event not in CHANGES or _is_there(event, arguments):
            return
        if "__pycache__" in str(arguments[0]):
            return
        changes.append(f"{event} {arguments[0]}")
        if len(changes) == fatal:
            if cut and Path(str(arguments[0])).is_file():
                os.truncate(str(arguments[0]), 0)
            os.kill(os.getpid(), signal.SIGKILL)

    return hook


def _is_there(event: str, arguments: tuple[object, ...]) -> bool:
    """Whether a folder is only made sure of."""
    return event == "os.mkdir" and Path(str(arguments[0])).is_dir()


def main() -> None:
    """Runs the command under the hook."""
    changes: list[str] = []
    fatal, *words = sys.argv[1:]
    cut = words[0] == "cut"
    sys.addaudithook(dying(int(fatal), changes, cut=cut))
    try:
        run(words[cut:])
    finally:
        sys.stderr.writelines(f"{change}\n" for change in changes)
        sys.stderr.write(f"changes: {len(changes)}\n")


def run(words: list[str]) -> None:
    """Runs the command line."""
    if words[0] == "dvc":
        from dvc.cli import main as dvc

        dvc(words[1:])
    else:
        from assets.__main__ import cli

        cli.main(words, prog_name="rankgate")


if __name__ == "__main__":
    main()
