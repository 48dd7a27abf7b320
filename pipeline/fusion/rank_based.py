"""Methods that look at ranks only: RRF, inverse square rank, Borda, and a branch by itself."""

from collections.abc import Callable

import numpy as np

from pipeline.fusion.lists import Contribution, Entries, Reals, Wholes

# The value of one place: weight, rank and depth of its branch, rank constant.
RankValue = Callable[[Reals, Wholes, Wholes, float], Reals]


def reciprocal_rank(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
    """w / (k + rank). Cormack, Clarke, Büttcher 2009, SIGIR, doi:10.1145/1571941.1572114."""
    return weight / (rank_constant + rank)


def inverse_square_rank(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
    """w / rank². Mourão, Martins, Magalhães 2014, MM, doi:10.1145/2647868.2654860 (without its
    factor for the number of lists)."""
    return weight / (rank * rank)


def borda_points(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
    """w · (depth - rank + 1): as many points as places below it. After Aslam, Montague 2001."""
    return weight * (depth - rank + 1)


def own_rank(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
    """1 / rank: keeps a single branch in its own order."""
    return np.ones_like(weight) / rank


def of_entries(value: RankValue) -> Contribution:
    """What each entry contributes."""

    def contribution(entries: Entries) -> Reals:
        weight, depth = entries.weights[entries.branch], entries.depths[entries.branch]
        return value(weight, entries.rank, depth, entries.rank_constant)

    return contribution


def past_depth(value: RankValue) -> Contribution:
    """What each branch contributes for an item missing from its list: that of depth + 1."""

    def contribution(entries: Entries) -> Reals:
        return value(entries.weights, entries.depths + 1, entries.depths, entries.rank_constant)

    return contribution
