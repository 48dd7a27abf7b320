"""What differs between two studies, axis by axis, and whether a change can be attributed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.comparing.content import code, collection, judgments, passages, sides
from pipeline.comparing.retrieval import (
    analyzer,
    branches,
    depths,
    embedding,
    filters,
    fusion,
    recorded,
    scoring,
    seed,
    selected,
)
from pipeline.comparing.view import StudyView

Axis = Callable[[StudyView, StudyView], Iterator[str]]

# One change at a time: each of these is one change. Where two studies differ in more than one,
# no figure tells which of them did it.
AXES: Mapping[str, Axis] = {
    "collection": collection,
    "passages": passages,
    "judgments": judgments,
    "sides": sides,
    "branches": branches,
    "recorded runs": recorded,
    "analyzer": analyzer,
    "lexical scoring": scoring,
    "embedding model": embedding,
    "filters": filters,
    "depths": depths,
    "fusion": fusion,
    "seed": seed,
    "code version": code,
}

# Other queries or other labels: a mean over them is about something else.
NOT_COMPARABLE = ("collection", "judgments")


@dataclass(frozen=True, slots=True)
class Difference:
    """One axis on which two studies differ.

    Args:
        axis: a name of `AXES`.
        details: what it was and what it is, one sentence each.
    """

    axis: str
    details: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Differences:
    """All of it.

    Args:
        found: the axes that differ, in the order of `AXES`.
        selected: how the selected configurations differ where fusion was declared alike: what a
            search chose anew, because of the other differences.
    """

    found: tuple[Difference, ...]
    selected: tuple[str, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The names of what differs."""
        return tuple(one.axis for one in self.found)

    @property
    def not_comparable(self) -> tuple[str, ...]:
        """What differs and forbids a plain comparison."""
        return tuple(axis for axis in self.axes if axis in NOT_COMPARABLE)

    def attribution(self) -> str:
        """Whether a change can be attributed, and to what; one sentence."""
        if not self.found:
            return "nothing differs that could change a value"
        if len(self.found) > 1:
            named = ", ".join(self.axes)
            return (
                f"a change cannot be attributed: {named} differ together; change one at a time, "
                "or compare the steps between"
            )
        one = f"a change is due to one thing: {self.axes[0]}"
        if self.selected:
            return f"{one}, with the configuration that was chosen anew because of it"
        return one

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "differs": {one.axis: list(one.details) for one in self.found},
            "selected": list(self.selected),
            "attribution": self.attribution(),
        }


def differences(a: StudyView, b: StudyView) -> Differences:
    """What differs from A to B.

    Args:
        a: the earlier study.
        b: the later one.

    Returns:
        Every axis on which something differs. Limits, measures and judging depth are none of
        them: they change what is asked, not what is ranked.
    """
    found = _found(a, b)
    declared = any(one.axis == "fusion" for one in found)
    return Differences(tuple(found), () if declared else tuple(selected(a, b)))


def _found(a: StudyView, b: StudyView) -> Sequence[Difference]:
    each = ((name, tuple(axis(a, b))) for name, axis in AXES.items())
    return [Difference(name, details) for name, details in each if details]
