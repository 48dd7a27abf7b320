"""Extremes of a difference for measures that are no ratios: every assignment, where few exist."""

import itertools
import math

import numpy as np

from pipeline.evaluation.bounds.assumed import values_under
from pipeline.evaluation.bounds.duel import Duel
from pipeline.measures import Measure

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
    duel: Duel, measure: Measure, *, rel: int, scale: tuple[int, int], needed: int | None = None
) -> float:
    """The greatest difference, ours minus theirs, over every assignment of grades.

    Where a grade is needed, over those that give it to at least one item.
    """
    assignments = [
        assigned
        for assigned in itertools.product(assumable(scale), repeat=len(duel.unjudged))
        if needed is None or max(assigned) >= needed
    ]
    table = np.array(assignments, dtype=np.int64).reshape(len(assignments), -1)
    ours, theirs = values_under(duel, table, measure, rel)
    return float(np.nanmax(ours - theirs))


def greatest_at_most(
    duel: Duel, measure: Measure, *, rel: int, scale: tuple[int, int], needed: int | None = None
) -> float:
    """A sound outer bound: our list at its best, theirs at its worst, each by itself."""
    # With every item at its lowest grade nothing would be relevant.
    if measure.family not in MONOTONE or needed is not None:
        return 1.0
    ends = np.array([[grade] * len(duel.unjudged) for grade in scale], dtype=np.int64)
    ours, theirs = values_under(duel, ends, measure, rel)
    return float(np.max(ours) - np.min(theirs))
