"""Whether stored results are for the present inputs: as DVC sees it, and as they say themselves."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assets.folder import StudyFolder
from assets.making_present import making_present
from assets.misrecorded import Misrecorded, made_of_others, refuse
from assets.processes import dvc
from assets.records import refuse_lost
from assets.stages import BY_NAME, STAGES
from assets.upstream import upstream
from pipeline.errors import RankgateError


def stale_stages(folder: StudyFolder, *targets: str) -> list[str]:
    """The stages up to the targets (all without one) whose inputs or outputs changed.

    Raises:
        RankgateError: DVC cannot tell.
    """
    return sorted(changes(folder, *targets))


def changes(folder: StudyFolder, *targets: str) -> Mapping[str, Any]:
    """The same stages to what changed of them, as DVC has it.

    Only of this study: without a target DVC would tell of every study of the repository.

    Raises:
        RankgateError: DVC cannot tell.
    """
    wanted = ["--with-deps", *targets] if targets else ["dvc.yaml"]
    status: dict[str, Any] = json.loads(dvc(folder.root, "status", "--json", *wanted) or "{}")
    return status


def misrecorded(folder: StudyFolder, stale: Sequence[str], *targets: str) -> Misrecorded:
    """What DVC takes for up to date and was made of other parameters, up to the targets.

    Args:
        folder: the study.
        stale: what DVC makes anew in any case.
        targets: names of stages; all without one.
    """
    wanted = [BY_NAME[name] for name in targets] or STAGES
    chain = {each.name for stage in wanted for each in (*upstream(stage), stage)}
    found = made_of_others(folder, [stage for stage in STAGES if stage.name in chain])
    return {name: of for name, of in found.items() if name not in stale}


def refuse_stale(folder: StudyFolder, *targets: str, what: str) -> None:
    """Refuses stored results that are not for the present inputs.

    Raises:
        MissingError: a record was lost that git has.
        RankgateError: a stage up to the targets is stale, or was made of other parameters than
            dvc.lock says; names them.
    """
    refuse_lost(folder)
    changed = changes(folder, *targets)
    stale = sorted(changed)
    if stale:
        raise RankgateError(
            f"the stored {what} is not for the present inputs",
            where=folder.root,
            found=f"stale: {', '.join(stale)}",
            next_command=making_present(folder, changed),
        )
    refuse(misrecorded(folder, stale, *targets), where=folder.root / "dvc.lock")
