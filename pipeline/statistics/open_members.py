"""The t bounds of a mean that some queries may join or not, whatever their differences.

A query that stays out changes nothing in Σ S and in the residuals r = S − mean · n if it is counted
with the mean itself as its difference. So every L of some members is

    mean(d) − κ' ‖r(d)‖ / N'

of differences d of *all* queries, where those that stay out have the mean of the rest. With all
of N queries that is mean(d) − κ' (N / N') ‖r(d)‖ / N, and κ' is no more than κ of the sure
members' groups, N' no less than their number. What is least over a box that holds all such d is
therefore an outer bound. Derived here; tests compare with every set of members.
"""

import numpy as np
from numpy.typing import NDArray

from pipeline.statistics.groups import Numbers, Values
from pipeline.statistics.open_differences import Box, LeastLow, least_of, reach_of

Flags = NDArray[np.bool_]


def least_low_of_members(
    lows: Values, highs: Values, groups: Numbers, optional: Flags, alpha: float
) -> LeastLow | None:
    """No more than any L that some members of a mean can have, by query group.

    Args:
        lows: the least difference of each query.
        highs: the greatest.
        groups: group number of each query.
        optional: whether a query may also stay out of the mean.
        alpha: one-sided.

    Returns:
        An outer bound; None where the sure members are in fewer than two groups.
    """
    sure = ~optional
    count = len(np.unique(groups[sure]))
    if count < 2:
        return None
    # One that stays out has the mean of the others, wherever that may be.
    starts = np.where(optional, np.minimum(lows, _least_mean(lows, optional)), lows)
    ends = np.where(optional, np.maximum(highs, -_least_mean(-highs, optional)), highs)
    _, numbers = np.unique(groups, return_inverse=True)
    found = least_of(
        Box(
            np.asarray(np.bincount(numbers, weights=starts), np.float64),
            np.asarray(np.bincount(numbers, weights=ends), np.float64),
            np.bincount(numbers).astype(np.float64),
            reach_of(alpha, count) * len(lows) / int(sure.sum()),
        )
    )
    return LeastLow(found.value, found.raised, exact=False)


def _least_mean(lows: Values, optional: Flags) -> float:
    """The least mean of the sure ones and any of the others."""
    own = lows[~optional]
    sums = own.sum() + np.concatenate([[0.0], np.cumsum(np.sort(lows[optional]))])
    return float((sums / (len(own) + np.arange(len(sums)))).min())
