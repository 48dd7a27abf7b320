"""A study to compare: a folder that holds one, or this study as a git revision has it."""

from collections.abc import Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from assets.artifacts import ARTIFACTS
from assets.comparing.revisions import Revision
from assets.folder import StudyFolder, study_folder
from assets.freshness import refuse_stale
from assets.lock import locked_stages, value_at
from assets.misrecorded import made_of_others, mending, refuse
from assets.stages import BY_NAME
from pipeline.comparing.view import StudyView
from pipeline.errors import MissingError, RankgateError

# What the figures come from; a later stage changes no value.
MADE_BY = ("snapshot", "splits", "candidates", "pool", "sweep", "selection", "evaluation")
# Code stands in the repository's root, a study perhaps below it; the rest is data.
CODE = ("pipeline/", "assets/", "constraints.txt")


def read_study(named: str, here: Path | None, stack: ExitStack) -> StudyView:
    """The study that a folder or a git revision holds.

    Args:
        named: a folder with params.yaml, else a git revision of the present study.
        here: the present study's folder; the current folder where None.
        stack: removes the files of a revision in the end.

    Raises:
        MissingError: neither; or a revision's outputs are not in the cache.
        RankgateError: its results are not for its parameters.
    """
    if (Path(named) / "params.yaml").is_file():
        folder = StudyFolder(Path(named))
        if (folder.root / "dvc.lock").is_file():
            refuse_stale(folder, "evaluation", what="evaluation")
        return _view(named, folder, None)
    if Path(named).is_dir():
        raise MissingError(
            "no study here",
            where=Path(named) / "params.yaml",
            expected="a folder with params.yaml, or a git revision",
        )
    present = study_folder(here)
    copy = Path(stack.enter_context(TemporaryDirectory(prefix="rankgate-compare-")))
    revision = Revision(present, named, copy)
    revision.fetch("params.yaml")
    revision.fetch("dvc.lock")
    folder = StudyFolder(copy)
    _refuse_other_params(named, copy)
    return _view(named, folder, revision)


def _view(name: str, folder: StudyFolder, revision: Revision | None) -> StudyView:
    @cache
    def read(what: str) -> Any:
        artifact = ARTIFACTS[what]
        if revision is not None:
            stage = Path(artifact.path).parts[0]
            revision.fetch(f"data/{stage}")
            _refuse_misrecorded(name, folder, stage)
        return artifact.read(folder, None)

    return StudyView(name, folder.params, code_of(folder.root / "dvc.lock"), read)


def _refuse_misrecorded(named: str, folder: StudyFolder, stage: str) -> None:
    """As for the present study; what to do about it is another thing in a revision."""
    found = made_of_others(folder, [BY_NAME[stage]])
    mend = f"git worktree add DIR {named}, then {mending(found)} and dvc repro in it"
    refuse(found, where=f"{named}:dvc.lock", mend=mend)


def code_of(lock: Path) -> dict[str, str]:
    """The code that a study's figures come from: file or folder to hash, as dvc.lock has it."""
    return {
        path.lstrip("./"): str(dependency["md5"])
        for stage in _stages(lock)
        for dependency in stage.get("deps", [])
        if (path := str(dependency["path"])).lstrip("./").startswith(CODE)
    }


def _stages(lock: Path) -> list[Mapping[str, Any]]:
    stages = locked_stages(lock).items()
    return [stage for name, stage in stages if name.partition("@")[0] in MADE_BY]


def _refuse_other_params(named: str, copy: Path) -> None:
    """A revision whose outputs were made with other parameters than it holds says nothing."""
    held = yaml.safe_load((copy / "params.yaml").read_bytes())
    for stage in _stages(copy / "dvc.lock"):
        for key, value in stage.get("params", {}).get("params.yaml", {}).items():
            if value_at(held, key) != value:
                raise RankgateError(
                    "the outputs were made with other parameters",
                    where=named,
                    found=f"{key} in dvc.lock is not that of params.yaml",
                    next_command=f"git worktree add DIR {named}, then dvc repro in it",
                )
