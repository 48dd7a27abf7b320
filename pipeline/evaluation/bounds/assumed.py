"""What two lists are worth under assumed grades of what nobody judged."""

from collections.abc import Sequence

import numpy as np

from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.ratio import Reals
from pipeline.measures import UNJUDGED, Lists, Measure, Truth, measure_lists
from pipeline.measures.lists import Grades


def values_under(
    duel: Duel, assignments: Grades, measure: Measure, rel: int
) -> tuple[Reals, Reals]:
    """The values of both lists under each assignment; the ideal grows with the assumed grades.

    Args:
        duel: the two lists.
        assignments: (assignments, unjudged evidence in the duel's order); UNJUDGED leaves one as
            it is.
        measure: any measure of our own.
        rel: the collection's lowest relevant grade.

    Returns:
        Ours and theirs, one value for each assignment.
    """
    judged = np.array(sorted(duel.grades.values()), dtype=np.int64)
    known = np.tile(judged, (len(assignments), 1))
    grades = np.sort(np.concatenate([known, assignments], axis=1), axis=1)[:, ::-1]
    truth = Truth(grades, np.zeros(len(assignments), dtype=np.int64))
    ours, theirs = (
        measure_lists(measure, _lists(items, duel, assignments), truth, rel=rel)
        for items in (duel.ours, duel.theirs)
    )
    return ours, theirs


def _lists(items: Sequence[str], duel: Duel, assignments: Grades) -> Lists:
    column = {item: number for number, item in enumerate(duel.unjudged)}
    grades = np.full((len(assignments), len(items)), UNJUDGED, dtype=np.int64)
    seen: set[str] = set()
    for rank, item in enumerate(items):
        assumed = assignments[:, column[item]] if item in column else duel.grades[item]
        # A second document of the same evidence gains nothing.
        grades[:, rank] = np.minimum(assumed, 0) if item in seen else assumed
        seen.add(item)
    returned = np.full(len(assignments), len(items), dtype=np.int64)
    return Lists(grades, returned, np.zeros(grades.shape, dtype=np.bool_))
