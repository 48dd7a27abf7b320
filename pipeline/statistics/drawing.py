"""How often each query group is drawn, without drawing one after the other.

Counts of independent Poisson variables, given their total, are distributed as those of so many
draws. So each row starts with Poisson counts that expect somewhat fewer draws than are wanted,
all made at once, and only what its total lacks is drawn one by one; a row with too many begins
again from nothing. Either way its counts are exactly those of as many draws as there are groups.
"""

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from pipeline.statistics.groups import Values

# No group is drawn 256 times: of 1,000 groups one would be with a chance below 10^-500.
Counts = NDArray[np.uint8]

STEPS = 1 << 16
# Standard deviations that the expected total stays below the wanted one: a row in 30,000 is over.
ROOM = 4.0


def draw_counts(groups: int, rows: int, generator: np.random.Generator) -> Counts:
    """Draws whole groups with replacement, as many as there are, once for each row.

    Args:
        groups: how many.
        rows: resamples.
        generator: where the draws come from.

    Returns:
        (rows, groups): how often each group is drawn.
    """
    mean = 1.0 - ROOM / math.sqrt(groups)
    some = _poisson(mean, rows * groups, generator) if mean > 0.0 else None
    counts = np.zeros((rows, groups), np.uint8) if some is None else some.reshape(rows, groups)
    totals = counts.sum(axis=1, dtype=np.int64)
    counts[totals > groups] = 0
    lacking = np.where(totals > groups, groups, groups - totals)
    begins = np.repeat(np.arange(rows) * groups, lacking)
    drawn = generator.integers(0, groups, size=len(begins))
    np.add.at(counts.reshape(-1), begins + drawn, np.uint8(1))
    return counts


def _poisson(mean: float, size: int, generator: np.random.Generator) -> Counts:
    """Independent Poisson counts, by table (Marsaglia, Tsang & Wang 2004, J. Stat. Softw. 11/3).

    Each value owns as many of 65,536 equally likely steps as its probability holds whole ones;
    the few steps left over fall to what the whole ones leave of each probability.
    """
    limits, rest = _table(mean)
    words = generator.integers(0, 1 << 64, size=-(-size // 4), dtype=np.uint64)
    steps = words.astype("<u8", copy=False).view("<u2")[:size]
    counts = np.zeros(size, dtype=np.uint8)
    above = np.empty(size, dtype=np.bool_)
    for limit in limits:
        np.greater_equal(steps, limit, out=above)
        counts += above.view(np.uint8)
    left = np.flatnonzero(above)
    counts[left] = np.searchsorted(rest, generator.random(len(left)), side="right")
    return counts


@lru_cache(maxsize=64)
def _table(mean: float) -> tuple[tuple[np.uint16, ...], Values]:
    """The steps at which a count rises to 1, 2, …, and to none's own; and how those fall.

    A mean of at most 1 makes every value rarer than the one before.
    """
    shares, chance = [], math.exp(-mean)
    while chance > 2.0**-60:
        shares.append(chance * STEPS)
        chance *= mean / len(shares)
    whole = [math.floor(share) for share in shares]
    limits = np.cumsum([count for count in whole if count])
    rest = np.cumsum([share - count for share, count in zip(shares, whole, strict=True)])
    return tuple(np.uint16(limit) for limit in limits), rest / rest[-1]
