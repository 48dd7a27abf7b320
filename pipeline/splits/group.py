"""A group of queries, as far as allocation needs to know it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Group:
    """A group to be put on a part.

    Args:
        id: its name.
        strata: the stratum of each of its queries.
    """

    id: str
    strata: tuple[str, ...]
