"""Round-robin union: the branches give their items in turn, first places first."""

from pipeline.fusion.lists import Entries, Reals


def turn(entries: Entries) -> Reals:
    """1 / slot, where slot = (rank - 1) · branches + the branch's place in the order, from 1.

    An item stands at its earliest slot; a slot whose item has already been given stays empty,
    so that no branch is favoured for repeating another.
    """
    slot = (entries.rank - 1) * len(entries.names) + entries.starts[entries.branch] + 1
    reciprocal: Reals = 1.0 / slot
    return reciprocal
