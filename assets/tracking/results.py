"""What the pages show of a study, read from its folder."""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.lock import data_versions, targets
from pipeline.storage import read_json


@dataclass(frozen=True)
class Results:
    """A study's stored results, as the pages need them.

    Args:
        folder: the study.
    """

    folder: StudyFolder

    def read(self, name: str) -> Any:
        """A table or document by its name in `ARTIFACTS`."""
        return ARTIFACTS[name].read(self.folder, None)

    def table(self, name: str) -> pl.DataFrame:
        """A table by its name in `ARTIFACTS`."""
        frame: pl.DataFrame = self.read(name)
        return frame

    @cached_property
    def decision(self) -> dict[str, Any]:
        """The decision."""
        content: dict[str, Any] = self.read("decision")
        return content

    @cached_property
    def fingerprint(self) -> str:
        """A hash of everything shown: summaries, decision and parameters, byte by byte."""
        total = hashlib.sha256()
        for path in self._shown():
            total.update(path.relative_to(self.folder.root).as_posix().encode())
            total.update(path.read_bytes())
        return total.hexdigest()[:32]

    def summaries(self) -> Mapping[tuple[str, ...], dict[str, Any]]:
        """Stage, or stage and branch, to its summary."""
        return {key: read_json(self._summary(key)) for key in targets(self.folder)}

    def versions(self) -> Mapping[tuple[str, ...], str]:
        """Stage, or stage and branch, to its data version; a summary's hash without dvc.lock."""
        locked = data_versions(self.folder)
        return {
            key: locked.get(key) or hashlib.md5(self._summary(key).read_bytes()).hexdigest()  # noqa: S324 - a version, not a secret
            for key in targets(self.folder)
        }

    def _summary(self, key: tuple[str, ...]) -> Path:
        return self.folder.data.joinpath(*key, "summary.json")

    def _shown(self) -> Iterator[Path]:
        yield self.folder.root / "params.yaml"
        yield from (self._summary(key) for key in targets(self.folder))
        yield self.folder.data / "snapshot" / "manifest.json"
        yield self.folder.data / "selection" / "selection.json"
        yield self.folder.data / "decision" / "decision.json"
