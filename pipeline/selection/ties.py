"""Which points are tied with the best, for many weightings of the groups at once.

`paired_errors` takes every difference of every group again for each weighting. Here the squares
are multiplied out, so that all weightings are a few products of matrices. What that loses to
rounding is bounded, and only where the bound leaves a tie open is it settled by `paired_errors`:
the ties are the same, whatever the order in which the products were added up.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from pipeline.grid.differences import DUST, Reals, Wholes, paired_errors
from pipeline.threads import LinearAlgebra

Flags = npt.NDArray[np.bool_]

POINTS = 256  # taken at once

# A sum of G products is off by less than (G + 3)·2^-53 of its terms' sizes; the spread is made of
# six such sums, and with its factors that comes to less than 22 of them, `paired_errors`' included.
TERMS = 32.0
SLACK = 1e-14


def tied_points(
    sums: Reals, counts: Reals, weightings: Reals, best: Wholes, behind: Reals
) -> Flags:
    """Which mean paired differences to the best are at most one standard error.

    Args:
        sums: (points, groups), values summed within each group.
        counts: (groups,), queries per group, at least one.
        weightings: (weightings, groups), how often each group counts.
        best: (weightings,), the point that the others are compared with.
        behind: (weightings, points), how far the best one's mean lies above.

    Returns:
        (weightings, points): `behind <= paired_errors(…) + DUST`.
    """
    tied = np.empty(behind.shape, dtype=np.bool_)
    # Small products, for which more threads only wait for each other.
    with LinearAlgebra().on_one_thread():
        bounds = list(_errors(sums, counts, weightings, best))
    for some, low, high in bounds:
        tied[:, some] = behind[:, some] <= low + DUST
        open_to = ~tied[:, some] & (behind[:, some] <= high + DUST)
        for row in np.flatnonzero(open_to.any(axis=1)):
            points = some.start + np.flatnonzero(open_to[row])
            both = sums[np.append(points, best[row])]
            errors = paired_errors(both, counts, weightings[row], len(points))[:-1]
            tied[row, points] = behind[row, points] <= errors + DUST
    return tied


def _errors(
    sums: Reals, counts: Reals, weightings: Reals, best: Wholes
) -> Iterator[tuple[slice, Reals, Reals]]:
    """Some points at a time: between what bounds `paired_errors` lies.

    Σ w (a − m n)² = Σ w a² − 2 m Σ w a n + m² Σ w n² with a = s_best − s, and Σ w a² in turn is
    Σ w s_best² − 2 Σ w s_best s + Σ w s².
    """
    tops = sums[best]
    held, sized = weightings * tops, weightings * counts
    groups, queries, squares = weightings.sum(axis=1), sized.sum(axis=1), sized @ counts
    factor = np.where(groups < 2, 0.0, groups / np.maximum(groups - 1.0, 1.0))[:, None]
    uneven = (groups * squares / queries**2)[:, None]
    bits = TERMS * (len(counts) + 10) * 2.0**-53
    own = [np.einsum("wg,wg->w", one, tops)[:, None] for one in (weightings, sized, held)]
    for start in range(0, len(sums), POINTS):
        some = slice(start, min(start + POINTS, len(sums)))
        part = sums[some].T
        squared = weightings @ part**2
        mean = (own[0] - weightings @ part) / queries[:, None]
        crossed = own[1] - sized @ part
        spread = own[2] - 2.0 * (held @ part) + squared
        spread += mean * (mean * squares[:, None] - 2.0 * crossed)
        off = bits * uneven * (own[2] + squared)
        low, high = (
            np.sqrt(np.maximum(end, 0.0) * factor) / queries[:, None]
            for end in (spread - off, spread + off)
        )
        yield some, low * (1.0 - SLACK), high * (1.0 + SLACK)
