"""The best and the worst difference of each query over what is unjudged."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.enumeration import (
    enumerable,
    greatest_at_most,
    greatest_by_enumeration,
)
from pipeline.evaluation.bounds.families import RATIOS, greatest_ratio_difference
from pipeline.measures import Measure


@dataclass(frozen=True, slots=True)
class Extremes:
    """One query's differences, ours minus theirs.

    Args:
        query_id: the query.
        worst: the least that any grades of the unjudged evidence can make of it.
        best: the greatest.
        exact: whether both are reached by some assignment; otherwise they lie outside.
    """

    query_id: str
    worst: float
    best: float
    exact: bool


def extremes(
    duels: Iterable[Duel],
    measure: Measure,
    *,
    rel: int,
    scale: tuple[int, int],
    needed: int | None = None,
) -> list[Extremes]:
    """The extremes over all grades of evidence that either list holds within the cutoff.

    The ideal grows with the assumed grades. Evidence that neither list holds stays unjudged.

    Args:
        duels: queries with at least one relevant judgment, or with unjudged evidence within the
            cutoff where a grade is needed.
        measure: any measure; nDCG, R, P and RBP are always exact, others by enumeration up to
            2^12 assignments and outer bounds beyond.
        rel: the collection's lowest relevant grade.
        scale: its lowest and highest grade.
        needed: the grade that at least one unjudged item has; None: none needs any.
    """
    # With every item assumed to be judged there is nothing left to take out of a list.
    assumed = replace(measure, judged_only=False)
    found = []
    for whole in duels:
        duel = whole.cut(measure.cutoff)
        best, exact = _greatest(duel, assumed, rel, scale, needed)
        least, exact_too = _greatest(duel.swapped(), assumed, rel, scale, needed)
        found.append(Extremes(duel.query_id, -least, best, exact and exact_too))
    return found


def _greatest(
    duel: Duel, measure: Measure, rel: int, scale: tuple[int, int], needed: int | None
) -> tuple[float, bool]:
    if measure.family in RATIOS:
        top = scale[1]
        return greatest_ratio_difference(duel, measure, rel=rel, top=top, needed=needed), True
    if enumerable(duel, scale):
        return greatest_by_enumeration(duel, measure, rel=rel, scale=scale, needed=needed), True
    return greatest_at_most(duel, measure, rel=rel, scale=scale, needed=needed), False
