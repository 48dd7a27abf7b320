"""The rule that fixes a depth before fusion is tuned."""

import numpy as np

from pipeline.grid.differences import DUST, Reals, Wholes, paired_errors


def least_depths(sums: Reals, counts: Reals, weightings: Reals) -> Wholes:
    """The place of the least depth whose recall is not told apart from the deepest's.

    Mean paired difference <= one standard error of it, by group.

    Args:
        sums: (depths, groups), recall summed over the group's queries; the deepest last.
        counts: (groups,), queries per group.
        weightings: (weightings, groups), how often each group counts.

    Returns:
        (weightings,)
    """
    return np.array([_least(sums, counts, row) for row in weightings], dtype=np.int64)


def _least(sums: Reals, counts: Reals, weighting: Reals) -> int:
    behind = np.einsum("dg,g->d", sums[-1] - sums, weighting) / (weighting * counts).sum()
    tied = behind <= paired_errors(sums, counts, weighting, len(sums) - 1) + DUST
    return int(tied.argmax())
