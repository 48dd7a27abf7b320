"""Keys whose change DVC does not see, whatever section they stand in."""

from collections.abc import Iterator, Mapping
from typing import Any

# DVC leaves them out of the hash by which it finds earlier results, at every level of a section:
# it would bring back what was made with another value.
UNSEEN = ("nfiles", "size")


def unseen_keys(content: Mapping[str, Any], place: str = "") -> Iterator[str]:
    """The places, parted by dots, of keys that DVC leaves out of its hash."""
    for key, value in content.items():
        here = f"{place}{key}"
        if key in UNSEEN:
            yield here
        if isinstance(value, Mapping):
            yield from unseen_keys(value, f"{here}.")
