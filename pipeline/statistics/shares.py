"""The interval of a share, and the exact paired test of two shares, by query group."""

from collections.abc import Iterable

import numpy as np

from pipeline.statistics.groups import EQUAL, Grouped, Numbers, Values
from pipeline.statistics.intervals import MeanInterval
from pipeline.statistics.student import critical

Bounds = tuple[float, float] | tuple[None, None]


def share_interval(
    values: Values, groups: Numbers, alpha: float, *, weights: Values | None = None
) -> MeanInterval:
    """A share with one-sided 1 − α bounds that keep their promise near 0 and 1.

    Clopper–Pearson (exact) where every group is a single query. Elsewhere the same bounds at the
    effective number of queries, p (1 − p) / SE² with the cluster-robust SE, lowered for the few
    groups it is known from and never above their number in truth (Korn & Graubard 1998). Where
    all are alike no SE shows how groups hold together, and each group counts once.

    Args:
        values: one per query: 0 or 1, or with weights a share between.
        groups: group number of each query.
        alpha: one-sided.
        weights: of each query, such as the items it returned; each value is one item where None.

    Returns:
        The share and its bounds; no bounds below two groups, unless it is a single query.
    """
    if not len(values):
        return MeanInterval(None, None, None, 0, 0)
    data = Grouped.of(values, groups, weights)
    if weights is None and data.groups == len(values):
        bounds: Bounds = clopper_pearson(data.mean * len(values), len(values), alpha)
    else:
        items = float(data.sizes.sum())
        bounds = clustered_bounds(data.mean, data.standard_error, items, data.groups, alpha)
    return MeanInterval(data.mean, bounds[0], bounds[1], len(values), data.groups)


def clopper_pearson(successes: float, trials: float, alpha: float) -> tuple[float, float]:
    """Exact one-sided bounds of a binomial share (Clopper & Pearson 1934).

    Args:
        successes: from 0 to trials; need not be whole, for an effective number is not.
        trials: above 0.
        alpha: of each bound.
    """
    from scipy import special

    rest = trials - successes
    low = special.betaincinv(successes, rest + 1.0, alpha) if successes > EQUAL else 0.0
    high = special.betaincinv(successes + 1.0, rest, 1.0 - alpha) if rest > EQUAL else 1.0
    return float(low), float(high)


def clustered_bounds(share: float, error: float, items: float, groups: int, alpha: float) -> Bounds:
    """Bounds of a share of items that hold together by group; see `share_interval`.

    Args:
        share: from 0 to 1.
        error: its cluster-robust standard error; 0 where there is no spread.
        items: how many items.
        groups: how many groups.
        alpha: of each bound.

    Returns:
        None and None below two groups.
    """
    if groups < 2:
        return None, None
    known = share * (1.0 - share) / error**2 if error > EQUAL else float(groups)
    few = critical(alpha, max(2, round(items))) / critical(alpha, groups)
    trials = min(items, known * few**2)
    return clopper_pearson(share * trials, trials, alpha)


def paired_share_p(differences: Values, groups: Numbers) -> float:
    """Two-sided exact p of a paired difference of shares, such as of zero hits.

    If neither system were better, each group's sum of differences would be as likely turned
    round. Of all 2^G ways to turn them, the share whose sum is at least as far from 0 is counted
    exactly, sum by sum, with no sampling. With single queries as groups this is McNemar's exact
    test (a binomial test of wins against losses).

    Args:
        differences: one per query: -1, 0 or 1.
        groups: group number of each query.
    """
    _, numbers = np.unique(groups, return_inverse=True)
    sums = np.rint(np.bincount(numbers, weights=differences)).astype(np.int64)
    moved = np.abs(sums[sums != 0])
    reached = int(abs(sums.sum()))
    if not reached:
        return 1.0
    chances = _signed_sums(moved.tolist())
    middle = (len(chances) - 1) // 2
    tail = chances[middle + reached :].sum()
    return float(min(1.0, 2.0 * tail))


def _signed_sums(sizes: Iterable[int]) -> Values:
    """The chance of every sum of ±size from the least on, signs by fair coins."""
    chances = np.ones(1)
    for size in sizes:
        wider = np.zeros(len(chances) + 2 * size)
        wider[: len(chances)] += chances / 2.0
        wider[2 * size :] += chances / 2.0
        chances = wider
    return chances
