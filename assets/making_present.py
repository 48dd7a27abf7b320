"""Which command makes stale stages present: where a remote may have their outputs, it is asked."""

from collections.abc import Mapping
from typing import Any

from assets.folder import StudyFolder
from assets.processes import dvc

REPRODUCE = "dvc repro"
# A pull first: what the remote has is the same to the byte, and is not computed again.
PULL = f"dvc pull, then {REPRODUCE}"
# What DVC says of an output that dvc.lock names and that is neither in place nor in the cache.
AWAY = "not in cache"
ABSENT = {AWAY, "deleted"}


def making_present(folder: StudyFolder, status: Mapping[str, Any]) -> str:
    """What to run: `dvc repro`, after a pull where outputs are only absent and a remote is there.

    Args:
        folder: the study.
        status: stage to what changed of it, as `dvc status --json` has it.
    """
    if any(map(_is_away, status.values())) and _has_remote(folder):
        return PULL
    return REPRODUCE


def _is_away(changes: list[Any]) -> bool:
    """Whether nothing of a stage differs from dvc.lock but that files are not here."""
    kinds = [change for change in changes if isinstance(change, dict)]
    states = [state for kind in kinds for paths in kind.values() for state in paths.values()]
    return len(kinds) == len(changes) and AWAY in states and set(map(str, states)) <= ABSENT


def _has_remote(folder: StudyFolder) -> bool:
    """Whether a remote is the default one: of the repository, this copy, this user or machine."""
    settings = dvc(folder.root, "config", "--list").splitlines()
    return any(line.startswith("core.remote=") for line in settings)
