"""Extremes of a difference for measures that are no ratios: every assignment, where few exist."""

import itertools
import math
from collections.abc import Sequence

import numpy as np

from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.ratio import Reals
from pipeline.measures import UNJUDGED, Lists, Measure, Truth, measure_lists
from pipeline.measures.lists import Grades

DOUBLINGS = 12  # at most 2^12 assignments are tried

# A relevant item more never lowers these, or never raises them; they have no ideal.
MONOTONE = frozenset({"RR", "Success", "ZeroHit"})


def assumable(scale: tuple[int, int]) -> tuple[int, ...]:
    """The grades that tell binary measures apart: lowest, 0 where negative ones exist, highest.

    Negative grades are passed over by Bpref, 0 is not.
    """
    low, top = scale
    return tuple(sorted({low, max(low, 0), top}))


def enumerable(duel: Duel, scale: tuple[int, int]) -> bool:
    """Whether every assignment can be tried."""
    return len(duel.unjudged) * math.log2(len(assumable(scale))) <= DOUBLINGS


def greatest_by_enumeration(
    duel: Duel, measure: Measure, *, rel: int, scale: tuple[int, int]
) -> float:
    """The greatest difference, ours minus theirs, over every assignment of grades."""
    assignments = list(itertools.product(assumable(scale), repeat=len(duel.unjudged)))
    table = np.array(assignments, dtype=np.int64).reshape(len(assignments), -1)
    ours, theirs = _values(duel, table, measure, rel)
    return float(np.nanmax(ours - theirs))


def greatest_at_most(duel: Duel, measure: Measure, *, rel: int, scale: tuple[int, int]) -> float:
    """A sound outer bound: our list at its best, theirs at its worst, each by itself."""
    if measure.family not in MONOTONE:
        return 1.0
    ends = np.array([[grade] * len(duel.unjudged) for grade in scale], dtype=np.int64)
    ours, theirs = _values(duel, ends, measure, rel)
    return float(np.max(ours) - np.min(theirs))


def _values(duel: Duel, assignments: Grades, measure: Measure, rel: int) -> tuple[Reals, Reals]:
    judged = np.array(sorted(duel.grades.values(), reverse=True), dtype=np.int64)
    known = np.tile(judged, (len(assignments), 1))
    grades = -np.sort(-np.concatenate([known, assignments], axis=1), axis=1)
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
