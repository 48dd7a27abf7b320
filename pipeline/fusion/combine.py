"""How the contributions to one item become its score."""

from collections.abc import Callable

import numpy as np

from pipeline.fusion.lists import Flags, Reals

# Contributions and presence, one row per item, one column per branch; a score per item.
Combine = Callable[[Reals, Flags], Reals]


def descending_sum(values: Reals, present: Flags) -> Reals:
    """The sum, added one by one from the greatest: the order of branches changes no bit of it."""
    ordered = -np.sort(-values, axis=1)
    total = np.zeros(values.shape[0])
    for column in range(values.shape[1]):
        total = total + ordered[:, column]
    return total


def sum_times_count(values: Reals, present: Flags) -> Reals:
    """The sum times the number of branches that returned the item."""
    counted: Reals = descending_sum(values, present) * present.sum(axis=1)
    return counted


def greatest(values: Reals, present: Flags) -> Reals:
    """The greatest contribution."""
    best: Reals = values.max(axis=1, initial=0.0)
    return best
