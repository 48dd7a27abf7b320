"""Runs one stage: reads what its row declares, computes, writes the outputs whole."""

import importlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.made_of import FILE, digests
from assets.misrecorded import refuse_misrecorded
from assets.orphaned import adopted
from assets.stages import BY_NAME, TRACKING, Stage
from assets.unchanged import unchanged, unwatched
from assets.upstream import upstream
from assets.versions import refuse_other_version
from pipeline.errors import ParameterError
from pipeline.locking import locked
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
        RankgateError: whatever the stage's inputs are refused for; they changed meanwhile; an
            earlier stage's results were made of other parameters than dvc.lock says; the DVC that
            ran it was killed.
    """
    refuse_other_version(folder)
    started = time.perf_counter()
    stage = TRACKING if name == TRACKING.name else _stage(name, branch, folder.params)
    refuse_misrecorded(folder, upstream(stage))
    refuse_changed = unchanged(folder, stage, branch)
    if stage is TRACKING:
        load(TRACKING.compute)(folder, refuse_changed)
    else:
        _run(folder, stage, branch, _each(refuse_changed, adopted()))
    refuse_changed()
    label = name if branch is None else f"{name} {branch}"
    sys.stderr.write(f"{label}: {time.perf_counter() - started:.1f} s\n")


def _each(*refusals: Callable[[], None]) -> Callable[[], None]:
    def refuse() -> None:
        for one in refusals:
            one()

    return refuse


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


def _run(
    folder: StudyFolder, stage: Stage, branch: str | None, refuse_changed: Callable[[], None]
) -> None:
    _drop_undeclared(folder, stage)
    inputs = {name: ARTIFACTS[name].read(folder, branch) for name in stage.reads}
    if stage.per_branch:
        inputs["branch"] = branch
    if stage.cached:
        inputs["cache"] = folder.cache
    result = load(stage.compute)(**inputs, params=visible(folder.params, stage.sections))
    write_outputs(folder.data, stage, result, folder.params, branch, refuse_changed)


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


def write_outputs(
    data: Path,
    stage: Stage,
    result: Any,
    params: Params,
    branch: str | None = None,
    refuse: Callable[[], None] = unwatched,
) -> None:
    """Writes what a stage's row declares of its result, its summary, and what it was made of.

    All of it whole, or nothing.

    Args:
        data: the study's `data/`.
        stage: the row.
        result: what its `compute` returned.
        params: those that it was computed with.
        branch: for `candidates`, which branch.
        refuse: called once all is written and before it replaces the earlier outputs, which
            stay where it raises.
    """
    place = _place(stage, branch)
    with _replacing_folder(data, place) as temporary:
        for field, name in stage.writes.items():
            artifact = ARTIFACTS[name]
            target = artifact.path.replace("{branch}", branch or "")
            if artifact.write is not None:
                artifact.write(temporary / Path(target).relative_to(place), getattr(result, field))
        write_json(temporary / "summary.json", result.summary)
        write_json(temporary / FILE, digests(params, stage, branch))
        refuse()


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
    of the same stage left there is removed first. At every moment `data/place` is the earlier
    folder, the new one, or absent.
    """
    target = data / place
    unfinished = data / f".unfinished.{'@'.join(place.parts)}"
    replaced = data / f".replaced.{'@'.join(place.parts)}"
    # DVC keeps its own stages apart, but not from one whose own DVC was killed.
    with locked(data / f".writing.{'@'.join(place.parts)}", what=target):
        _clear(unfinished)
        _clear(replaced)
        unfinished.mkdir()
        try:
            yield unfinished
            target.parent.mkdir(exist_ok=True)
            if os.path.lexists(target):  # be it a link to nowhere
                target.rename(replaced)  # removed in place it would be half a folder for a while
            unfinished.rename(target)
        finally:
            if os.path.lexists(replaced) and not target.exists():
                replaced.rename(target)
            _clear(unfinished)
            _clear(replaced)


def _clear(place: Path) -> None:
    """Removes what is there; of a link the link alone."""
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
