"""Refuses what a stage made of parameters or inputs that somebody changed in the meantime.

DVC writes down what a stage depends on after the stage has ended: a file that was edited while
the stage ran would be recorded as what the results were made of, and never looked at again.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.made_of import sections_of
from assets.stages import Stage
from pipeline.errors import RankgateError, first_three
from pipeline.params import read_params

State = Mapping[str, Any]


def unchanged(folder: StudyFolder, stage: Stage, branch: str | None = None) -> Callable[[], None]:
    """Looks at what a stage reads, before it runs.

    Args:
        folder: the study.
        stage: the row: its sections of the parameters; the collection and records it reads.
        branch: for `candidates`, which branch; other branches' options may change.

    Returns:
        What looks again: to be called before results are put where others find them. It raises
        a RankgateError that names what is not as it was.
    """
    files = _inputs(folder, stage)
    sections, seen = sections_of(folder.params, stage, branch), _seen(files)

    def refuse_changed() -> None:
        path = folder.root / "params.yaml"
        now = sections_of(read_params(path), stage, branch)
        _refuse(path, _different(sections, now))
        _refuse(folder.root, _different(seen, _seen(files)))

    return refuse_changed


def unwatched() -> None:
    """Refuses nothing: for results that no file of a study can change."""


def _inputs(folder: StudyFolder, stage: Stage) -> Sequence[Path]:
    """The collection and the records; what other stages wrote DVC itself keeps others from."""
    names = [name for name in stage.reads if not ARTIFACTS[name].in_data]
    collection = folder.params.collection.path
    return [folder.root / (collection if n == "collection" else ARTIFACTS[n].path) for n in names]


def _seen(files: Sequence[Path]) -> State:
    """Size and time of change of every file, by its path; hidden ones are no input."""
    found = {}
    for place in files:
        for path in _files_in(place) if place.is_dir() else [place]:
            if path.is_file() and not path.name.startswith("."):
                stat = path.stat()
                found[str(path)] = (stat.st_size, stat.st_mtime_ns)
    return found


def _files_in(place: Path) -> Iterator[Path]:
    """All files at any depth, through links too; each folder once, so that no circle is endless."""
    known = set()
    for here, folders, files in os.walk(place, followlinks=True):
        known.add(os.path.realpath(here))
        folders[:] = [
            name for name in sorted(folders) if os.path.realpath(Path(here, name)) not in known
        ]
        yield from (Path(here, name) for name in files)


def _different(before: State, now: State) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _refuse(where: Path, names: Sequence[str]) -> None:
    if names:
        raise RankgateError(
            "changed while the stage ran, so its results are of neither state",
            where=where,
            found=first_three(names),
            expected="what was there when the stage began",
            next_command="dvc repro",
        )
