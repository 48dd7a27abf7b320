"""What `dvc.lock` says of each stage: its output's data version, and what parameters it had."""

import re
import shlex
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from assets.broken_lock import broken_lock
from assets.folder import StudyFolder
from assets.stages import STAGES, Stage
from pipeline.typed_yaml import load_mapping, yaml_text

Key = tuple[str, ...]

# A large grid stands in dvc.lock once for each stage that reads it: thousands of lines.
_FASTEST: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
LOADER: type[Any] = type("Reader", (_FASTEST,), {})
# DVC writes `1e-05`, without a dot, which PyYAML by itself takes for text.
LOADER.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?[0-9]+[eE][-+]?[0-9]+$"), list("-+0123456789")
)


def data_versions(folder: StudyFolder) -> Mapping[Key, str]:
    """Stage, or stage and branch, to the hash of its output in dvc.lock."""
    stages = locked_stages(folder.root / "dvc.lock")
    versions = {}
    for key, name in targets(folder).items():
        outputs = stages.get(name, {}).get("outs", [])
        if outputs:
            versions[key] = str(outputs[0]["md5"])
    return versions


def locked_stages(path: Path) -> Mapping[str, Any]:
    """What dvc.lock says of each stage, by DVC's name of it; nothing where there is none.

    Args:
        path: dvc.lock.

    Raises:
        InputError: it is not YAML.
    """
    stages = _content(path).get("stages") if path.exists() else None
    return stages if isinstance(stages, dict) else {}


def _content(path: Path) -> Mapping[str, Any]:
    try:
        content = yaml.load(path.read_bytes(), LOADER)  # noqa: S506 - a safe one
    except yaml.YAMLError as problem:
        raise broken_lock(path) from problem
    return content if isinstance(content, dict) else {}


def targets(folder: StudyFolder) -> Mapping[Key, str]:
    """Stage, or stage and branch, to its target in DVC, in the order of the chain."""
    return {key: "@".join(key) for stage in STAGES for key in keys(stage, folder)}


def keys(stage: Stage, folder: StudyFolder) -> list[Key]:
    """The stage's keys: one, or one for each declared branch."""
    if not stage.per_branch:
        return [(stage.name,)]
    return [(stage.name, branch) for branch in sorted(folder.params.candidates)]


class Recorded:
    """The parameters that dvc.lock says a stage's results were made of.

    Args:
        folder: the study.
    """

    def __init__(self, folder: StudyFolder) -> None:
        self._stages = locked_stages(folder.root / "dvc.lock")
        self._path = folder.root / "params.yaml"

    @cached_property
    def _present(self) -> Mapping[str, Any]:
        """params.yaml as it stands there, as DVC compares it."""
        return load_mapping(yaml_text(self._path), where=self._path)

    def is_present(self, key: Key) -> bool:
        """Whether they are those of params.yaml, so that DVC takes the stage for up to date."""
        entry = self._stages.get("@".join(key))
        if entry is None:
            return False
        params: Mapping[str, Any] = entry.get("params", {}).get("params.yaml", {})
        same = all(value_at(self._present, name) == value for name, value in params.items())
        return same and all(self._is_told(branch, entry["cmd"]) for branch in key[1:])

    def _is_told(self, branch: str, command: str) -> bool:
        """Whether the branch's options stand in its command, where DVC sees them change."""
        return shlex.split(command.partition(f"--branch {branch} ")[2]) == self._options(branch)

    def _options(self, branch: str) -> list[str]:
        """A branch's options as DVC writes them into its command; a false one is left out."""
        words = []
        for name, value in value_at(self._present, "candidates")[branch].items():
            if value is not False:
                words += [f"--{name}", *([] if value is True else [str(value)])]
        return words


def value_at(content: Any, name: str) -> Any:
    """The value under a dotted name, as DVC splits it; None where there is none."""
    for part in name.split("."):
        content = content.get(part) if isinstance(content, dict) else None
    return content
