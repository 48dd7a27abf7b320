"""Finds results that were made of other parameters than dvc.lock says, and refuses them.

DVC notes what a stage was made of after the stage has ended, and takes the parameters from
params.yaml as it then is: an edit just before enters dvc.lock as a value that was not used, and
DVC never runs that stage again for it. The same comes of an edit that DVC does not see at all,
such as `higher_is_better: false` written where nothing was.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from assets.folder import StudyFolder
from assets.lock import Key, Recorded, keys
from assets.made_of import FILE, digests
from assets.stages import Stage
from pipeline.errors import InputError, RankgateError, first_three
from pipeline.storage import read_json

Misrecorded = Mapping[str, Sequence[str]]


def made_of_others(folder: StudyFolder, stages: Iterable[Stage]) -> Misrecorded:
    """Stored results that were made of other parameters than params.yaml has.

    Nothing is said of results that are not there, or that say nothing of their parameters.

    Args:
        folder: the study.
        stages: which stages' results.

    Returns:
        DVC's name of a stage to the parameters that differ, in the order of the chain.
    """
    found = {}
    for stage in stages:
        for key in keys(stage, folder):
            now = digests(folder.params, stage, *key[1:])
            used = _used(folder.data.joinpath(*key, FILE))
            names = sorted(name for name in now.keys() & used.keys() if now[name] != used[name])
            if names:
                found["@".join(key)] = names
    return found


def _used(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    content = read_json(path)
    if not isinstance(content, dict):
        raise InputError("not a JSON object", where=path, next_command="dvc checkout")
    return content


def refuse_misrecorded(folder: StudyFolder, stages: Sequence[Stage]) -> None:
    """Refuses results that dvc.lock takes for those of the present parameters, and that are not.

    Results of earlier parameters are no such case: dvc.lock says so, and `dvc repro` makes them
    anew.

    Raises:
        RankgateError: names the stages, the parameters, and the commands that mend it.
    """
    others = made_of_others(folder, stages)
    if others:
        recorded = Recorded(folder)
        found = {name: of for name, of in others.items() if recorded.is_present(_key(name))}
        refuse(found, where=folder.root / "dvc.lock")


def _key(name: str) -> Key:
    return tuple(name.split("@", 1))


def refuse(found: Misrecorded, *, where: object, mend: str | None = None) -> None:
    """Refuses what was found, if anything was.

    Args:
        found: stage to parameters, as `made_of_others` gives it.
        where: which dvc.lock says otherwise.
        mend: the commands that mend it, where they are not the usual ones.

    Raises:
        RankgateError: as `refuse_misrecorded`.
    """
    if found:
        raise RankgateError(
            "results were made of other parameters than it says",
            where=where,
            found=first_three([f"{name} ({', '.join(of)})" for name, of in found.items()]),
            expected="the values that each stage used",
            next_command=mend or f"{mending(found)}, then dvc repro",
        )


def mending(found: Iterable[str]) -> str:
    """The command that makes these stages anew although DVC takes them for up to date."""
    return f"dvc repro --force --single-item {' '.join(found)}"
