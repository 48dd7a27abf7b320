"""Runs one stage: reads what its row declares, computes, writes the outputs whole."""

import importlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.stages import BY_NAME, TRACKING, Stage
from assets.versions import refuse_other_version
from pipeline.errors import ParameterError
from pipeline.params import Params, Section
from pipeline.storage import write_json


def run_stage(folder: StudyFolder, name: str, branch: str | None = None) -> None:
    """Runs a stage in a study's folder.

    Args:
        folder: the study.
        name: a stage's name, or `tracking`.
        branch: for `candidates`, which branch.

    Raises:
        ParameterError: no such stage or branch; the study was made by another version.
        RankgateError: whatever the stage's inputs are refused for.
    """
    refuse_other_version(folder)
    started = time.perf_counter()
    if name == TRACKING.name:
        load(TRACKING.compute)(folder)
    else:
        _run(folder, _stage(name, branch, folder.params), branch)
    label = name if branch is None else f"{name} {branch}"
    sys.stderr.write(f"{label}: {time.perf_counter() - started:.1f} s\n")


def _stage(name: str, branch: str | None, params: Params) -> Stage:
    if name not in BY_NAME:
        raise ParameterError(
            "no such stage", where="run", found=name, expected=", ".join([*BY_NAME, TRACKING.name])
        )
    stage = BY_NAME[name]
    if stage.per_branch and branch not in params.candidates:
        raise ParameterError(
            "no such branch",
            where=f"run {name} --branch",
            found=branch or "none",
            expected=", ".join(sorted(params.candidates)),
        )
    return stage


def _run(folder: StudyFolder, stage: Stage, branch: str | None) -> None:
    _drop_undeclared(folder, stage)
    inputs = {name: ARTIFACTS[name].read(folder, branch) for name in stage.reads}
    if stage.per_branch:
        inputs["branch"] = branch
    if stage.cached:
        inputs["cache"] = folder.cache
    result = load(stage.compute)(**inputs, params=visible(folder.params, stage.sections))
    write_outputs(folder.data, stage, result, branch)


def _drop_undeclared(folder: StudyFolder, stage: Stage) -> None:
    """Removes the lists of branches that are declared no longer, which DVC leaves behind.

    A stage that reads all branches depends on `data/candidates`: with such a left-over in it,
    dvc.lock would hold a hash that no fresh clone can reach.
    """
    if all(ARTIFACTS[name].path != "candidates" for name in stage.reads):
        return
    for left_over in sorted((folder.data / "candidates").glob("*")):
        if left_over.is_dir() and left_over.name not in folder.params.candidates:
            shutil.rmtree(left_over)


def write_outputs(data: Path, stage: Stage, result: Any, branch: str | None = None) -> None:
    """Writes what a stage's row declares of its result, and its summary, whole or not at all.

    Args:
        data: the study's `data/`.
        stage: the row.
        result: what its `compute` returned.
        branch: for `candidates`, which branch.
    """
    place = _place(stage, branch)
    with _replacing_folder(data, place) as temporary:
        for field, name in stage.writes.items():
            artifact = ARTIFACTS[name]
            target = artifact.path.replace("{branch}", branch or "")
            if artifact.write is not None:
                artifact.write(temporary / Path(target).relative_to(place), getattr(result, field))
        write_json(temporary / "summary.json", result.summary)


def _place(stage: Stage, branch: str | None) -> Path:
    return Path(stage.name, branch) if stage.per_branch and branch else Path(stage.name)


def visible(params: Params, sections: Sequence[str]) -> Params:
    """The parameters with only these sections: a stage that looks at another one fails.

    DVC reruns a stage when a declared section changes, so an undeclared one must not matter.

    Args:
        params: all parameters.
        sections: names of sections, or `SECTION.KEY` for one key of a section.
    """
    copy = params.model_copy()
    for name in Params.model_fields:
        keys = {key for section, _, key in (s.partition(".") for s in sections) if section == name}
        if not keys:
            del copy.__dict__[name]
        elif "" not in keys:
            copy.__dict__[name] = _only(getattr(params, name), keys)
    return copy


def _only(section: Section, keys: set[str]) -> Section:
    copy = section.model_copy()
    for name in set(type(section).model_fields) - keys:
        del copy.__dict__[name]
    return copy


def load(dotted: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    module, _, function = dotted.partition(":")
    loaded: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return loaded


@contextmanager
def _replacing_folder(data: Path, place: Path) -> Iterator[Path]:
    """An unfinished folder that becomes `data/place` when the block ends well.

    It lies in `data/` itself, so that no folder that DVC hashes ever holds it; what a killed run
    of the same stage left there is removed first.
    """
    target = data / place
    unfinished = data / f".unfinished.{'@'.join(place.parts)}"
    _clear(unfinished)
    unfinished.mkdir(parents=True)
    try:
        yield unfinished
        _clear(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished.rename(target)
    finally:
        _clear(unfinished)


def _clear(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
