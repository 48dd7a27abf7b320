"""L and U over every assignment of grades, not only over each query's extremes."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from pipeline.evaluation.bounds.extremes import Extremes
from pipeline.evaluation.differences import Differences, compare_many
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import group_numbers
from pipeline.statistics.comparison import MANY_GROUPS
from pipeline.statistics.open_differences import LeastLow, least_low
from pipeline.statistics.open_members import least_low_of_members

Row = dict[str, object]


def any_grades(
    worst: Differences,
    best: Differences,
    baseline: str,
    *,
    exact: bool,
    part: Part,
    params: Params,
    outside: Sequence[Extremes] = (),
) -> Iterator[Row]:
    """The rows `any` and, below 60 groups, `tried` of one baseline.

    Queries are graded apart from each other, so each can be anywhere between its extremes whatever
    the others are. `any`: the least L and the greatest U of the t interval; an outer bound where
    grades could bring further queries into the mean. Bootstrap-t, which may decide below 60 groups,
    has no such bound: its quantiles are not concave in the differences. `tried`: the gate's own L
    and U, the least and the greatest of a few assignments: every query at its worst, every query at
    its best, those where t's L is least and its U greatest, and the first two with the further
    queries that pull the mean down or up.

    Args:
        worst: the least difference of each query in the mean.
        best: the greatest.
        baseline: whom the selected configuration is compared with.
        exact: whether some assignment reaches each query's extremes.
        part: query groups and level.
        params: primary measure, resamples, seed.
        outside: the extremes of queries that grades could bring into the mean.

    Yields:
        Rows of BOUNDS without a delta; `exact`: whether some assignment has that L, and one that U.
    """
    starts = {**worst, **{one.query_id: one.worst for one in outside}}
    ends = {**best, **{one.query_id: one.best for one in outside}}
    groups = dict(zip(sorted(starts), group_numbers(sorted(starts), part.groups), strict=True))
    least = _least(starts, ends, worst, groups, part.alpha)
    # The greatest U is the least L of the differences the other way round.
    greatest = _least(_negated(ends), _negated(starts), worst, groups, part.alpha)
    key: Row = {"baseline": baseline, "split": part.split, "measure": params.selection.measure}
    key |= {"joining": len(outside)}
    if least is None or greatest is None:
        return
    sure = exact and least.exact and greatest.exact
    yield {**key, **_ends("any", least.value, -greatest.value), "exact": sure}
    if len({groups[query] for query in worst}) < MANY_GROUPS:
        corners = (
            worst,
            best,
            _corner(worst, best, groups, least),
            _corner(best, worst, groups, greatest),
            *_pulled(worst, best, outside),
        )
        yield {**key, **_tried(corners, part, params), "exact": False}


def _least(
    starts: Differences,
    ends: Differences,
    inside: Differences,
    groups: Mapping[str, int],
    alpha: float,
) -> LeastLow | None:
    queries = list(groups)
    lows, highs = (
        np.array([some[query] for query in queries], np.float64) for some in (starts, ends)
    )
    numbers = np.array(list(groups.values()), np.int64)
    optional = np.array([query not in inside for query in queries], np.bool_)
    if optional.any():
        return least_low_of_members(lows, highs, numbers, optional, alpha)
    return least_low(lows, highs, numbers, alpha)


def _negated(differences: Differences) -> Differences:
    return {query: -value for query, value in differences.items()}


def _pulled(
    worst: Differences, best: Differences, outside: Sequence[Extremes]
) -> Iterator[Differences]:
    """Every query at its worst with those further ones that pull the mean down; likewise up."""
    if outside:
        low, high = (sum(some.values()) / len(some) for some in (worst, best))
        yield {**worst, **{one.query_id: one.worst for one in outside if one.worst < low}}
        yield {**best, **{one.query_id: one.best for one in outside if one.best > high}}


def _ends(view: str, low: float | None, high: float | None) -> Row:
    return {"view": view, "delta": None, "low": low, "high": high}


def _corner(
    start: Differences, other: Differences, groups: Mapping[str, int], found: LeastLow
) -> Differences:
    raised = set(found.raised.tolist())
    return {query: (other if groups[query] in raised else start)[query] for query in start}


def _tried(corners: tuple[Differences, ...], part: Part, params: Params) -> Row:
    compared = compare_many(corners, ALL_QUERIES, part=part, params=params)
    lows = [one.low for one in compared if one.low is not None]
    highs = [one.high for one in compared if one.high is not None]
    return _ends("tried", min(lows, default=None), max(highs, default=None))
