"""How surely a share of a measure is kept, by query group."""

from dataclasses import dataclass

import numpy as np

from pipeline.statistics.comparison import Bounds, gate_bounds
from pipeline.statistics.groups import EQUAL, Grouped, Numbers, Values
from pipeline.statistics.shares import clopper_pearson, share_interval


@dataclass(frozen=True, slots=True)
class Kept:
    """How far what is left lies above a floor, and how sure that is.

    Args:
        above: mean over queries of left − floor · whole; None without queries.
        low: the gate's one-sided lower bound of it; None where nothing tells how sure it is.
        high: the gate's upper bound.
        counted_low: the lower bound that counts the groups which lose, for where few do; None
            where the values do not lie between 0 and 1.
        groups: query groups.
        moved_groups: groups with a query whose value changed.
    """

    above: float | None
    low: float | None
    high: float | None
    counted_low: float | None
    groups: int
    moved_groups: int


def kept_above(
    left: Values,
    whole: Values,
    groups: Numbers,
    floor: float,
    *,
    alpha: float,
    resamples: int,
    generator: np.random.Generator,
) -> Kept:
    """The paired difference left − floor · whole: not below 0 where the floor is kept.

    A difference needs no ratio of means, so the interval is the one of any other comparison.

    Args:
        left: one per query: the value that is left; more is better.
        whole: one per query: the value it is held against.
        groups: group number of each query.
        floor: the share that must be kept, from 0 to 1.
        alpha: one-sided.
        resamples: bootstrap samples, drawn below 60 groups.
        generator: where the draws come from.
    """
    if not len(left):
        return Kept(None, None, None, None, 0, 0)
    data = Grouped.of(left - floor * whole, groups)
    bounds: Bounds = gate_bounds(data, alpha=alpha, resamples=resamples, generator=generator)
    moved = np.unique(groups[np.abs(left - whole) > EQUAL])
    counted = _counted_low(left, whole, groups, floor, alpha)
    return Kept(data.mean, *bounds, counted, data.groups, len(moved))


def _counted_low(
    left: Values, whole: Values, groups: Numbers, floor: float, alpha: float
) -> float | None:
    """(1 − floor) · L(whole) − U(share of groups that lose), each at α/2.

    left − floor · whole is (1 − floor) · whole less what is lost, and a query loses 1 at most.
    Unlike an interval of a handful of differences, this allows for losses that were not seen.
    """
    if min(left.min(), whole.min()) < -EQUAL or max(left.max(), whole.max()) > 1.0 + EQUAL:
        return None
    held = share_interval(whole, groups, alpha / 2.0).low
    losses = Grouped.of(whole - left, groups)
    lost = int((losses.sums > EQUAL).sum())
    uneven = float(losses.sizes.max() / losses.sizes.mean())
    most = clopper_pearson(lost, losses.groups, alpha / 2.0)[1] * uneven
    return None if held is None else (1.0 - floor) * held - min(1.0, most)
