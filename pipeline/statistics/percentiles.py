"""Percentiles of measured times, and how many calls one needs."""

import math
from collections.abc import Sequence

# A percentile is read off the calls beyond it: with fewer it is the accident of one of them.
CALLS_BEYOND = 10


def calls_needed(percentile: int) -> int:
    """Calls from which on a percentile is reported: 20 for p50, 200 for p95, 1,000 for p99."""
    return math.ceil(CALLS_BEYOND * 100 / (100 - percentile))


def percentile(values: Sequence[float], share: int) -> float:
    """The smallest value that at least `share` percent of all values do not exceed.

    Args:
        values: at least one.
        share: percent, above 0 and below 100.
    """
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered) / 100) - 1]
