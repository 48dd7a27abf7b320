"""Ranked lists and judgments as arrays, the form in which every measure is computed.

All arrays end in (…, queries, depth) or (…, queries): a sweep puts its configurations in front
and measures them all at once.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Grades = NDArray[np.int64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]
Values = NDArray[np.float64]

UNJUDGED = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Lists:
    """What a system returned, by rank.

    Args:
        grades: (…, queries, depth), the grade at each rank; UNJUDGED where there is none and
            past the end of the list.
        returned: (…, queries), how many items each list holds.
        required: (…, queries, depth), whether the item is required evidence.
    """

    grades: Grades
    returned: Counts
    required: Flags

    def cut(self, cutoff: int | None) -> "Lists":
        """The lists down to a cutoff; whole where it is None."""
        if cutoff is None:
            return self
        return Lists(
            self.grades[..., :cutoff],
            np.minimum(self.returned, cutoff),
            self.required[..., :cutoff],
        )

    def condensed(self) -> "Lists":
        """The lists without their unjudged items, the rest moved up."""
        unjudged = self.grades == UNJUDGED
        order = np.argsort(unjudged, axis=-1, kind="stable")
        return Lists(
            np.take_along_axis(self.grades, order, axis=-1),
            (~unjudged).sum(axis=-1),
            np.take_along_axis(self.required, order, axis=-1),
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known about each query, whatever was retrieved.

    Args:
        grades: (queries, widest), all judged grades of a query in descending order, then
            UNJUDGED.
        required: (queries,), how many pieces of evidence are required; 0 where none is declared.
        known: what was already worked out from these.
    """

    grades: Grades
    required: Counts
    known: dict[object, NDArray[Any]] = field(default_factory=dict, compare=False, repr=False)

    def once(self, name: object, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """What depends on the judgments alone: worked out once, for however many lists."""
        if name not in self.known:
            self.known[name] = make()
        return self.known[name]

    def relevant(self, rel: int) -> Counts:
        """How many judged items of each query have at least this grade."""
        return self.once(
            ("relevant", rel), lambda: np.asarray((self.grades >= rel).sum(axis=-1), np.int64)
        )

    def nonrelevant(self, rel: int) -> Counts:
        """How many judged items of each query are below this grade, but not below 0."""
        counted: Counts = ((self.grades >= 0) & (self.grades < rel)).sum(axis=-1)
        return counted

    def where_relevant(self, values: Values, rel: int) -> Values:
        """The values, NaN for queries without a relevant item."""
        return np.where(self.relevant(rel) > 0, values, np.nan)


def total(parts: Values) -> Values:
    """The sum over ranks, added strictly from the first rank on.

    numpy's own sum groups its terms by the array's width, so that the same list in a wider array
    would differ in its last bit and a tie would count as a win.
    """
    if parts.shape[-1] == 0:
        return np.zeros(parts.shape[:-1])
    return np.cumsum(parts, axis=-1)[..., -1]


def share(part: NDArray[np.generic], whole: NDArray[np.generic]) -> Values:
    """part / whole, NaN where whole is 0: undefined is not zero."""
    # Only the wholes are asked, which are few: a sweep's parts are many, and NaN stays NaN.
    shares: Values = part / np.where(whole != 0, whole, np.nan)
    return shares
