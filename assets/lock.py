"""What `dvc.lock` says of each stage's output: the data version that Dagster and MLflow show."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from assets.folder import StudyFolder
from assets.stages import STAGES, Stage
from pipeline.errors import InputError


def data_versions(folder: StudyFolder) -> Mapping[tuple[str, ...], str]:
    """Stage, or stage and branch, to the hash of its output in dvc.lock."""
    path = folder.root / "dvc.lock"
    stages = {}
    if path.exists():
        stages = _content(path).get("stages", {})
    versions = {}
    for key, name in targets(folder).items():
        outputs = stages.get(name, {}).get("outs", [])
        if outputs:
            versions[key] = str(outputs[0]["md5"])
    return versions


def _content(path: Path) -> Mapping[str, Any]:
    try:
        content = yaml.safe_load(path.read_bytes())
    except yaml.YAMLError as problem:
        line = " ".join(str(problem).split())
        raise InputError(
            "not YAML", where=path, found=line, next_command=f"git checkout {path}, then dvc repro"
        ) from None
    return content if isinstance(content, dict) else {}


def targets(folder: StudyFolder) -> Mapping[tuple[str, ...], str]:
    """Stage, or stage and branch, to its target in DVC, in the order of the chain."""
    return {key: "@".join(key) for stage in STAGES for key in keys(stage, folder)}


def keys(stage: Stage, folder: StudyFolder) -> list[tuple[str, ...]]:
    """The stage's keys: one, or one for each declared branch."""
    if not stage.per_branch:
        return [(stage.name,)]
    return [(stage.name, branch) for branch in sorted(folder.params.candidates)]
