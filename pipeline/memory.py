"""How much memory this process may take, and a refusal of work that needs more.

Work that does not fit ends otherwise in a killed process, without a word of why.
"""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

from pipeline.errors import MemoryLimitError

# Where Linux keeps the limit of a container; both versions of control groups.
_GROUPS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def memory_limit() -> int | None:
    """Bytes that this process may take; None where nothing tells.

    The least of the process's own limit (`ulimit -v`, `ulimit -d`), its container's, and what
    the machine has.
    """
    return min(_limits(), default=None)


def refuse_beyond(needed: float, what: str, *, where: str, next_command: str) -> None:
    """Refuses work that needs more memory than there may be.

    Args:
        needed: bytes, roughly.
        what: the work, in a few words.
        where: the parameter or file that asks for it.
        next_command: what needs less.

    Raises:
        MemoryLimitError: with both figures.
    """
    limit = memory_limit()
    if limit is not None and needed > limit:
        raise MemoryLimitError(
            f"{what} needs more memory than there is",
            where=where,
            found=f"about {needed / 1e9:.1f} GB",
            expected=f"at most {limit / 1e9:.1f} GB",
            next_command=next_command,
        )


def _limits() -> Iterator[int]:
    for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        soft = resource.getrlimit(kind)[0]
        if soft != resource.RLIM_INFINITY:
            yield soft
    for file in _GROUPS:
        said = file.read_text(encoding="ascii").strip() if file.is_file() else ""
        if said.isdigit():
            yield int(said)
    if "SC_PHYS_PAGES" in os.sysconf_names:
        yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
