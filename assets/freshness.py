"""Whether stored results are for the present inputs, as DVC sees it."""

import json
from collections.abc import Sequence

from assets.folder import StudyFolder
from assets.processes import dvc
from pipeline.errors import RankgateError


def stale_stages(folder: StudyFolder, *targets: str) -> list[str]:
    """The stages up to the targets (all without one) whose inputs or outputs changed.

    Raises:
        RankgateError: DVC cannot tell.
    """
    deps = ["--with-deps", *targets] if targets else []
    status = json.loads(dvc(folder.root, "status", "--json", *deps) or "{}")
    return sorted(status)


def refuse_stale(folder: StudyFolder, *targets: str, what: str) -> None:
    """Refuses stored results that are not for the present inputs.

    Raises:
        RankgateError: a stage up to the targets is stale; names them.
    """
    stale: Sequence[str] = stale_stages(folder, *targets)
    if stale:
        raise RankgateError(
            f"the stored {what} is not for the present inputs",
            where=folder.root,
            found=f"stale: {', '.join(stale)}",
            next_command="dvc repro",
        )
