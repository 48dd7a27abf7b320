"""Openings of the same test set that stand in the ledgers of other studies of the repository."""

import os
from collections.abc import Iterator
from pathlib import Path

from assets.artifacts import stored
from assets.folder import StudyFolder, studies_near
from assets.git import git
from pipeline.errors import RankgateError
from pipeline.ledger import openings_of


def other_openings(folder: StudyFolder, test_set: str) -> Iterator[str]:
    """Says which other studies of this repository opened a test set; none of it counts here.

    Args:
        folder: the study.
        test_set: the hash of its test set.

    Yields:
        One line for each study that opened it, or whose ledger cannot be read; its folder is told
        from where the user is.
    """
    for other in _others(folder):
        shown = os.path.relpath(other.root)
        try:
            times = len(openings_of(stored(other, "ledger"), test_set))
        except RankgateError:
            yield f"the ledger of {shown} cannot be read: it may have opened this test set"
            continue
        if times:
            yield (
                f"{shown} has opened this test set for {times} selection(s), not counted here:"
                " each study counts its own"
            )


def _others(folder: StudyFolder) -> list[StudyFolder]:
    """The other studies of the repository, where studies usually lie, sorted by folder."""
    here = folder.root.resolve()
    top = Path(git(folder, "rev-parse", "--show-toplevel") or here.parent).resolve()
    around = [place for place in here.parents if place.is_relative_to(top)]
    near = {one.resolve() for place in (here, *around) for one in studies_near(place)}
    return [StudyFolder(one) for one in sorted(near - {here}) if one.is_relative_to(top)]
