"""Runs commands as another user than root, to whom a file's permissions apply."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assets.processes import QUIET

CHECKOUT = Path(__file__).parents[2]
NOBODY = 65534  # by convention the user and the group that own nothing
PACKAGES = ("site-packages", "dist-packages")
MODULES = {"rankgate": ("-m", "assets"), "dvc": ("-P", "-m", "dvc")}


@dataclass(frozen=True, slots=True)
class Stranger:
    """A user that is not root, with a folder that it may read, and an interpreter.

    Args:
        place: the folder.
        interpreter: runs the code in `place`.
        number: the user's; None where the tests themselves run as a user to whom permissions apply.
    """

    place: Path
    interpreter: str
    number: int | None

    def run(self, root: Path, program: str, *words: str) -> "subprocess.CompletedProcess[str]":
        """Runs `rankgate` or `dvc` in a folder, to its end."""
        command = [self.interpreter, *MODULES[program], *words]
        return subprocess.run(
            command,
            cwd=root,
            env=self.environment(),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
            user=self.number,
            group=self.number,
            extra_groups=None if self.number is None else [],
        )

    def environment(self) -> Mapping[str, str]:
        """Nothing of root's: a home, caches and a path of the user's own."""
        packages = [one for one in sys.path if Path(one).name in PACKAGES]
        return {
            **QUIET,
            "HOME": str(self.place / "home"),
            "DVC_SITE_CACHE_DIR": str(self.place / "home/dvc"),
            "PATH": os.pathsep.join([str(self.place / "bin"), os.defpath]),
            "PYTHONPATH": os.pathsep.join([str(self.place / "code"), *packages]),
        }

    def owns(self, path: Path) -> None:
        """Gives it a file, or a folder with all in it."""
        if self.number is not None:
            for one in (path, *path.rglob("*")):
                os.chown(one, self.number, self.number, follow_symlinks=False)


@contextmanager
def stranger() -> Iterator[Stranger | str]:
    """A user that is not root; why there is none, where no interpreter lets it in."""
    number = NOBODY if os.geteuid() == 0 else None
    usual = shutil.which(
        f"python{sys.version_info.major}.{sys.version_info.minor}", path=os.defpath
    )
    said = "no interpreter"
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)  # pytest's own folders let nobody else in
        for package in ("assets", "pipeline"):
            shutil.copytree(CHECKOUT / package, place / "code" / package)
        for interpreter in filter(None, (sys.executable, usual)):
            one = Stranger(place, interpreter, number)
            _furnish(one)
            said = _refusal(one)
            if not said:
                yield one
                return
        yield f"another user cannot use the interpreter: {said}"


def _furnish(one: Stranger) -> None:
    script = one.place / "bin" / "rankgate"  # as dvc.yaml calls it
    script.parent.mkdir(exist_ok=True)
    module = " ".join(MODULES["rankgate"])
    script.write_text(f'#!/bin/sh\nexec {one.interpreter} {module} "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    (one.place / "home").mkdir(exist_ok=True)
    one.owns(one.place / "home")


def _refusal(one: Stranger) -> str:
    try:
        version = [one.run(one.place, program, "--version") for program in MODULES]
    except PermissionError as problem:
        return str(problem)
    return "".join(done.stderr for done in version if done.returncode).strip().split("\n")[-1]
