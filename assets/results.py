"""What the pages show of a study, read from its folder."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.lock import data_versions, targets
from pipeline.report.measured import how_measured
from pipeline.report.stored import SIDES
from pipeline.storage import read_json, to_json

# Stages whose tables hold values of measures; those on dev come before queries are counted.
MEASURED_ON_DEV = ("sweep", "selection")
MEASURED = ("evaluation", "decision")


@dataclass(frozen=True)
class Results:
    """A study's stored results, as the pages need them.

    Args:
        folder: the study.
    """

    folder: StudyFolder

    def read(self, name: str) -> Any:
        """A table or document by its name in `ARTIFACTS`."""
        return stored(self.folder, name)

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
        """A hash of everything shown: the parameters' values and every stage's data version."""
        versions = {"/".join(key): version for key, version in self.versions.items()}
        params = self.folder.params.model_dump(mode="json")
        return hashlib.sha256(to_json([params, versions]).encode()).hexdigest()[:32]

    @cached_property
    def versions(self) -> Mapping[tuple[str, ...], str]:
        """Stage, or stage and branch, to its data version; where dvc.lock has none, a hash."""
        locked = data_versions(self.folder)
        return {key: locked.get(key) or self._hash(key) for key in targets(self.folder)}

    def summary(self, key: tuple[str, ...]) -> dict[str, Any]:
        """The summary of a stage, or of a stage and branch."""
        content: dict[str, Any] = read_json(self._place(key) / "summary.json")
        return content

    def how_measured(self, key: tuple[str, ...]) -> str:
        """How the values that a stage shows came about, in one line; "" where it shows none."""
        params = self.folder.params
        if key[0] in MEASURED_ON_DEV:
            return how_measured(params, [*params.sweep.measures, params.selection.measure])
        if key[0] not in MEASURED:
            return ""
        counted: dict[str, Any] = self.read("evaluation_summary")
        measures = [*params.evaluation.measures, params.selection.measure]
        return how_measured(params, measures, counted, sides=[s for s in SIDES if s in counted])

    def _place(self, key: tuple[str, ...]) -> Path:
        return self.folder.data.joinpath(*key)

    def _hash(self, key: tuple[str, ...]) -> str:
        total = hashlib.sha256()
        for path in sorted(self._place(key).rglob("*")):
            if path.is_file():
                total.update(path.relative_to(self.folder.data).as_posix().encode() + b"\0")
                total.update(path.read_bytes())
        return total.hexdigest()[:32]
