"""How many items of a kind stand within a cutoff: a comparison of their keys, without an order."""

from dataclasses import dataclass

import numpy as np

from pipeline.measures.counted import COUNTED, Kind, flagged
from pipeline.measures.names import Measure
from pipeline.sweep.arrays import Items
from pipeline.sweep.collapsed import Wholes
from pipeline.sweep.order import Order


@dataclass(frozen=True, slots=True)
class Cells:
    """Where the items of one kind stand, in a flattened (queries, columns) array.

    Args:
        flat: the cells; those of one query together, and within it those that count once.
        row: the query of each.
        members: where each group that counts once starts; None where each cell counts.
        owner: the query of each group (of each cell, where all count).
        starts: where each query begins among the groups.
        rows: those queries: the ones with such an item.
    """

    flat: Wholes
    row: Wholes
    members: Wholes | None
    starts: Wholes
    rows: Wholes


def cells_of(kind: Kind, rel: int, items: Items) -> Cells:
    """The cells of one kind of item.

    An evidence that stands twice in a list is relevant, or required, at its better place only:
    it counts once.
    """
    flat = np.flatnonzero(flagged(kind, items.grades, items.required, rel)).astype(np.int64)
    row = flat // max(items.shape[1], 1)
    if items.evidence is None or kind == "judged":
        return _cells(flat, row, None, row)
    evidence = items.evidence.ravel()[flat]
    order = np.lexsort((evidence, row))
    flat, row, evidence = flat[order], row[order], evidence[order]
    changes = (np.diff(row, prepend=-1) != 0) | (np.diff(evidence, prepend=-1) != 0)
    members = np.flatnonzero(changes).astype(np.int64)
    return _cells(flat, row, members if len(members) < len(flat) else None, row[members])


def _cells(flat: Wholes, row: Wholes, members: Wholes | None, owner: Wholes) -> Cells:
    starts = np.flatnonzero(np.diff(owner, prepend=-1)).astype(np.int64)
    return Cells(flat, row, members, starts, owner[starts])


def wanted_cells(measures: list[Measure], rel: int, items: Items) -> dict[tuple[Kind, int], Cells]:
    """The cells that the measures of counts ask for, by kind and least grade."""
    asked = {(COUNTED[m.family].kind, threshold(m, rel)) for m in measures}
    return {(kind, least): cells_of(kind, least, items) for kind, least in sorted(asked)}


def threshold(measure: Measure, rel: int) -> int:
    """The least relevant grade of a measure."""
    return rel if measure.rel is None else measure.rel


def own_keys(keys: Wholes, cells: Cells) -> Wholes:
    """(configurations, cells): the keys of these items, before keys are moved about."""
    taken: Wholes = keys.take(cells.flat, axis=1)
    return taken


def corrected(own: Wholes, cells: Cells, order: Order, columns: int, queries: int) -> Wholes:
    """The same, places instead of keys in rows that were ordered again."""
    if not len(order.redone) or not len(cells.flat):
        return own
    number = np.full(own.shape[0] * queries, -1, dtype=np.int64)
    number[order.redone] = np.arange(len(order.redone))
    again = number.reshape(-1, queries)[:, cells.row]
    at = np.nonzero(again >= 0)
    own[at] = order.exact[again[at], (cells.flat % columns)[at[1]]]
    return own


def hits(own: Wholes, cells: Cells, limit: Wholes | None, queries: int) -> Wholes:
    """(configurations, queries): how many of the items stand within a limit.

    Args:
        own: (configurations, cells), keys.
        cells: the items.
        limit: (configurations, queries), the key of the last item within; None: all are.
        queries: how many there are.
    """
    found = np.zeros((own.shape[0], queries), dtype=np.int64)
    if not len(cells.flat):
        return found
    within = np.ones(own.shape, np.bool_) if limit is None else own <= limit[:, cells.row]
    if cells.members is not None:
        within = np.logical_or.reduceat(within, cells.members, axis=1)
    found[:, cells.rows] = np.add.reduceat(within, cells.starts, axis=1, dtype=np.int64)
    return found
