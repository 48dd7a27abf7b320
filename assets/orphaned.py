"""Refuses what a stage made whose DVC was killed: the next `dvc repro` makes it anew.

Such a stage would put its results in place at some moment while the next DVC removes, hashes or
copies that very folder, which then ends in an error.
"""

import os
from collections.abc import Callable

from pipeline.errors import RankgateError

STAGE = "DVC_STAGE"  # set by DVC for all that it runs


def adopted() -> Callable[[], None]:
    """Looks at who started this process, before a stage runs.

    Returns:
        What looks again: to be called before results are put where others find them. It raises
        a RankgateError where DVC started this process and has ended since.
    """
    stage, parent = os.environ.get(STAGE), os.getppid()
    lost = stage is not None and _is_strange(parent)

    def refuse_orphan() -> None:
        if stage is not None and (lost or os.getppid() != parent):
            raise RankgateError(
                "the dvc that ran this stage has ended, so its results are left to the next one",
                where=f"run {stage}",
                next_command="dvc repro",
            )

    return refuse_orphan


def _is_strange(parent: int) -> bool:
    """Whether it is the system's first process, and not because DVC is that, as in a container.

    DVC and what it runs are of one session; who is left alone is given to the first process.
    """
    if parent != 1 or os.getsid(0) == os.getpid():
        return False
    try:
        return os.getsid(parent) != os.getsid(0)
    except PermissionError:  # another session's, for some systems
        return True
