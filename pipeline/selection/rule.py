"""The rule by which one point of a grid is chosen, for many weightings of the groups at once.

A weighting says how often each query group counts: once each on dev, not at all in the fold that
is held out, as often as drawn in a bootstrap sample. So the folds and the resampling repeat the
whole rule, not a part of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.grid.differences import DUST, paired_errors
from pipeline.selection.lattice import NOBODY, Neighbours
from pipeline.selection.ties import tied_points

Reals = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Wholes = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SliceVeto:
    """A slice that no chosen point may damage on dev.

    Args:
        name: the slice.
        tolerance: the loss against the baseline that is allowed, in units of the measure.
        sums: (points, groups), values summed over the group's queries in the slice.
        counts: (groups,), how many those are.
        baselines: (baselines, groups), the same sums of the systems to compare with.
    """

    name: str
    tolerance: float
    sums: Reals
    counts: Reals
    baselines: Reals


@dataclass(frozen=True, slots=True)
class Problem:
    """What the rule looks at.

    Args:
        sums: (points, groups), values summed over the group's queries; the simplest point first.
        counts: (groups,), queries per group.
        near: (points, most neighbours), as from `neighbours`.
        stable_share: the share of a point's neighbours that must be tied.
        barred: (points,), points excluded whatever their quality (a latency limit).
        vetoes: the critical slices.
        baselines: (baselines, groups), sums of the systems one of which, the best by the same
            weighting, the vetoes compare with.
    """

    sums: Reals
    counts: Reals
    near: Neighbours
    stable_share: float
    barred: Flags
    vetoes: Sequence[SliceVeto] = ()
    baselines: Reals | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The rule's verdict, one row per weighting.

    Args:
        means: (weightings, points), macro means over queries.
        best: the point with the greatest mean, of the admissible.
        errors: (weightings, points), standard errors of the paired difference to the best.
        tied: (weightings, points), not told apart from the best.
        stable: (weightings, points), enough neighbours are tied.
        admissible: (weightings, points), not excluded; all, where every point would be.
        overruled: whether every point would have been excluded.
        chosen: the simplest of the tied, stable and admissible, else of the tied and admissible.
    """

    means: Reals
    best: Wholes
    errors: Reals
    tied: Flags
    stable: Flags
    admissible: Flags
    overruled: Flags
    chosen: Wholes


def choose(problem: Problem, weightings: Reals) -> Choices:
    """Applies the rule once per weighting.

    Tied: mean paired difference to the best ≤ one standard error of that paired difference, by
    group (see `paired_errors`). Stable: at least `stable_share` of the
    neighbours are tied (a point without neighbours is stable).

    Args:
        problem: at least one point.
        weightings: (weightings, groups), how often each group counts; each row counts a query.

    Returns:
        One verdict per weighting; equal means are settled for the simpler point.
    """
    means = means_of(problem.sums, problem.counts, weightings)
    admissible, overruled = _admissible(problem, weightings)
    best, behind = _best(means, admissible)
    errors = np.stack(
        [
            paired_errors(problem.sums, problem.counts, row, int(top))
            for row, top in zip(weightings, best, strict=True)
        ]
    )
    tied = behind <= errors + DUST
    stable = _stable(tied, problem.near, problem.stable_share)
    chosen = _simplest(tied, stable, admissible)
    return Choices(means, best, errors, tied, stable, admissible, overruled, chosen)


def chosen_points(problem: Problem, weightings: Reals) -> Wholes:
    """`choose(…).chosen` for many weightings, in a fraction of the time.

    Args:
        problem: at least one point.
        weightings: (weightings, groups), as for `choose`.

    Returns:
        (weightings,)
    """
    means = means_of(problem.sums, problem.counts, weightings)
    admissible, _ = _admissible(problem, weightings)
    best, behind = _best(means, admissible)
    tied = tied_points(problem.sums, problem.counts, weightings, best, behind)
    return _simplest(tied, _stable(tied, problem.near, problem.stable_share), admissible)


def _best(means: Reals, admissible: Flags) -> tuple[Wholes, Reals]:
    """The point with the greatest mean, and how far it lies above each."""
    best = np.where(admissible, means, -np.inf).argmax(axis=1)
    return best, np.take_along_axis(means, best[:, None], axis=1) - means


def _simplest(tied: Flags, stable: Flags, admissible: Flags) -> Wholes:
    firm = tied & stable & admissible
    open_to = np.where(firm.any(axis=1, keepdims=True), firm, tied & admissible)
    places: Wholes = open_to.argmax(axis=1)
    return places


def means_of(sums: Reals, counts: Reals, weightings: Reals) -> Reals:
    """(weightings, systems): macro means over queries.

    Args:
        sums: (systems, groups), values summed over the group's queries.
        counts: (groups,), queries per group.
        weightings: (weightings, groups), how often each group counts.
    """
    # einsum as in `paired_errors`: the same bits with any number of threads.
    totals = np.einsum("wg,pg->wp", weightings, sums)
    queries = np.einsum("wg,g->w", weightings, counts)
    # Rounded, so that equal qualities added up in another order stay equal.
    means: Reals = np.round(totals / queries[:, None], 12)
    return means


def _stable(tied: Flags, near: Neighbours, share: float) -> Flags:
    there = near != NOBODY
    count = there.sum(axis=1)
    agreeing = (tied[:, near] & there).sum(axis=2)
    stable: Flags = agreeing >= share * count - DUST
    return stable


def _admissible(problem: Problem, weightings: Reals) -> tuple[Flags, Flags]:
    excluded = np.broadcast_to(problem.barred, (len(weightings), len(problem.sums))).copy()
    for veto in problem.vetoes:
        excluded |= regressed(problem, veto, weightings)
    overruled: Flags = np.all(excluded, axis=1, keepdims=True)[:, 0]
    return ~excluded | overruled[:, None], overruled


def regressed(problem: Problem, veto: SliceVeto, weightings: Reals) -> Flags:
    """Which points lose more on a slice than is allowed, against the best of the baselines."""
    queries = np.einsum("wg,g->w", weightings, veto.counts)
    seen = queries > 0
    if problem.baselines is None or not len(problem.baselines) or not seen.any():
        return np.zeros((len(weightings), len(problem.sums)), dtype=np.bool_)
    rival = means_of(problem.baselines, problem.counts, weightings).argmax(axis=1)
    lost = (
        np.take_along_axis(
            np.einsum("wg,bg->wb", weightings, veto.baselines), rival[:, None], axis=1
        )
        - np.einsum("wg,pg->wp", weightings, veto.sums)
    ) / np.maximum(queries, 1.0)[:, None]
    found: Flags = seen[:, None] & (lost > veto.tolerance + DUST)
    return found
