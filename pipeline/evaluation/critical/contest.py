"""One query's gains on every rival, under judgments that do not exist yet."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.bounds.assumed import values_under
from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.ratio import Reals
from pipeline.measures import UNJUDGED, Measure
from pipeline.measures.lists import Grades

# A scale with more grades is tried at its ends, at rel and half way.
EVERY_GRADE = 4

Assumed = Mapping[str, int]
"""Evidence to the grade it is assumed to be given; what is not named stays unjudged."""


@dataclass(frozen=True, slots=True)
class Contest:
    """One query: the selected configuration's list against each rival's.

    Args:
        query_id: the query.
        duels: one for each rival, in their order.
        open: the unjudged evidence that may be judged, sorted.
        measure: the primary measure.
        rel: the collection's lowest relevant grade.
    """

    query_id: str
    duels: tuple[Duel, ...]
    open: tuple[str, ...]
    measure: Measure
    rel: int

    def gains(self, assumptions: Sequence[Assumed]) -> Reals:
        """(assumptions, rivals): the gain on each rival, NaN where the measure is undefined."""
        sign = 1.0 if self.measure.higher_is_better else -1.0
        columns = []
        for duel in self.duels:
            ours, theirs = values_under(
                *_with_all(duel, self.open, assumptions), self.measure, self.rel
            )
            columns.append(sign * (ours - theirs))
        return np.stack(columns, axis=1)

    def further(self, assumed: Assumed, grades: Sequence[int]) -> Iterator[tuple[str, int]]:
        """Each pair that is still open, with each grade."""
        for evidence in self.open:
            if evidence not in assumed:
                yield from ((evidence, grade) for grade in grades)


def contests_of(
    by_rival: Sequence[Sequence[Duel]],
    measure: Measure,
    *,
    rel: int,
    closed: Collection[tuple[str, str]] = (),
) -> list[Contest]:
    """The contests of queries whose duels with each rival are given, in one order.

    Args:
        by_rival: for each rival the same queries' duels.
        measure: the primary measure.
        rel: the collection's lowest relevant grade.
        closed: pairs that nobody may judge: the query may not see the evidence.
    """
    made = []
    for duels in zip(*by_rival, strict=True):
        query = duels[0].query_id
        shown = [duel.cut(measure.cutoff) for duel in duels]
        unjudged = {item for duel in shown for item in duel.unjudged if (query, item) not in closed}
        # A measure of judged items alone looks past the cutoff for them.
        lists = duels if measure.judged_only else tuple(shown)
        made.append(Contest(query, tuple(lists), tuple(sorted(unjudged)), measure, rel))
    return made


def assumable_grades(rel: int, top: int) -> tuple[int, ...]:
    """The grades that pairs are assumed to be given: those that gain something."""
    if top <= EVERY_GRADE:
        return tuple(range(1, top + 1))
    return tuple(sorted({1, rel, (rel + top) // 2, top}))


def _with_all(
    duel: Duel, open_: Sequence[str], assumptions: Sequence[Assumed]
) -> tuple[Duel, Grades]:
    """The duel, and each assumption as a row over all of its unjudged evidence.

    What only another rival's list holds is judged as well and belongs to the ideal.
    """
    column = {item: place for place, item in enumerate(duel.unjudged)}
    others = [item for item in open_ if item not in column]
    width = len(column) + len(others)
    column |= {item: place for place, item in enumerate(others, start=len(column))}
    table = np.full((len(assumptions), width), UNJUDGED, dtype=np.int64)
    for row, assumed in enumerate(assumptions):
        for item, grade in assumed.items():
            table[row, column[item]] = grade
    return duel, table
