"""A study's files as a git revision has them: from git, and from DVC's cache or remote."""

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from assets.folder import StudyFolder
from assets.processes import QUIET
from pipeline.errors import MissingError


@dataclass
class Revision:
    """One revision of a study.

    Args:
        present: the study in the workspace.
        name: a commit, branch or tag.
        copy: an empty folder in which the files are laid as the study has them.
    """

    present: StudyFolder
    name: str
    copy: Path
    fetched: set[str] = field(default_factory=set)

    def fetch(self, path: str) -> None:
        """Lays a file or folder of the study into the copy.

        Raises:
            MissingError: no such revision; it has no such file; it is not in the cache.
        """
        if path in self.fetched:
            return
        files, target = self._files, self.copy / path
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            files.get(f"{self._place}/{path}", str(target), recursive=True)
        except self._absent as problem:
            raise self._missing(path) from problem
        if not target.exists():
            raise self._missing(path)
        self.fetched.add(path)

    def _missing(self, path: str) -> MissingError:
        return MissingError(
            "not in this revision, or not in the cache",
            where=f"{self.name}:{path}",
            expected="a committed study whose outputs DVC holds",
            next_command=(
                "dvc fetch --all-commits; where no remote holds them: "
                f"git worktree add DIR {self.name}, dvc repro in it, then compare DIR"
            ),
        )

    @property
    def _absent(self) -> tuple[type[Exception], ...]:
        from dvc_data.index.index import DataIndexDirError

        return (FileNotFoundError, DataIndexDirError)

    @cached_property
    def _place(self) -> str:
        inside = self.present.root.resolve().relative_to(self.present.repository.resolve())
        return f"/{inside.as_posix()}" if inside.parts else ""

    @cached_property
    def _files(self) -> Any:
        # Imported here: it takes a second, and most comparisons need no revision.
        os.environ.update(QUIET)
        from dvc.api import DVCFileSystem
        from dvc.exceptions import DvcException

        repository = str(self.present.repository.resolve())
        try:
            files = DVCFileSystem(repository, rev=self.name)
            files.ls("/", detail=False)  # `exists` would swallow why not
        except DvcException as problem:
            raise MissingError(
                "neither a study's folder nor a git revision",
                where="compare",
                found=self.name,
                expected="a folder with params.yaml, or a commit, branch or tag",
                next_command="git log --oneline",
            ) from problem
        return files
