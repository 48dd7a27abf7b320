"""Configurations that differ in numbers only, and what each rank is worth in each of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pipeline.fusion import METHODS, Configuration
from pipeline.fusion.lists import Entries
from pipeline.fusion.settings import Depths
from pipeline.sweep.collapsed import Reals, Wholes


@dataclass(frozen=True, slots=True)
class Family:
    """Configurations of one method, one set of branches and one set of depths.

    Args:
        method: its name.
        depths: of the branches.
        places: the configurations' places among all that are tried.
        weights: (configurations, branches).
        tables: per branch, for methods on ranks, (configurations, depth + 2): what each rank is
            worth; first that of no list, last that of a list without the item. Empty for methods
            on scores.
    """

    method: str
    depths: Depths
    places: Wholes
    weights: Reals
    tables: Sequence[Reals]


def families(configurations: Sequence[Configuration], *, past_depth: bool) -> list[Family]:
    """The configurations, those together that differ in numbers only.

    The methods' own functions make every value. Those that look at ranks give the same value at
    the same rank, so they are asked once per rank, here, and never again.

    Args:
        configurations: any.
        past_depth: whether an item that a list lacks counts as if at depth + 1.
    """
    together: dict[tuple[Depths, str], list[int]] = {}
    for place, point in enumerate(configurations):
        together.setdefault((point.depths, point.method), []).append(place)
    return [
        Family(
            method=method,
            depths=depths,
            places=np.array(places, dtype=np.int64),
            weights=np.array([[w for _, w in configurations[p].weights] for p in places]),
            tables=_tables([configurations[place] for place in places], depths, past_depth),
        )
        for (depths, method), places in together.items()
    ]


def _tables(points: Sequence[Configuration], depths: Depths, past_depth: bool) -> list[Reals]:
    method = METHODS[points[0].method]
    if method.needs_scores:
        return []
    tables = [np.zeros((len(points), depth + 2)) for _, depth in depths]
    every = _every_rank(depths)
    for number, point in enumerate(points):
        entries = _of(every, point)
        values, past = method.contribution(entries), method.absent(entries)
        for branch, table in enumerate(tables):
            table[number, 1:-1] = values[entries.branch == branch]
            table[number, -1] = past[branch] if past_depth else 0.0
    return tables


def _every_rank(depths: Depths) -> Entries:
    """One entry for every rank that a branch can give."""
    names, deep = [name for name, _ in depths], [depth for _, depth in depths]
    branch = np.repeat(np.arange(len(deep)), deep)
    return Entries(
        list_=branch,
        branch=branch,
        rank=np.concatenate([np.arange(1, depth + 1) for depth in deep]),
        score=np.full(len(branch), np.nan),
        weights=np.ones(len(deep)),
        depths=np.array(deep, dtype=np.int64),
        rank_constant=0.0,
        starts=np.arange(len(deep), dtype=np.int64),
        minima=np.full(len(deep), np.nan),
        names=names,
    )


def _of(entries: Entries, point: Configuration) -> Entries:
    order = list(point.order or (name for name, _ in point.weights))
    return replace(
        entries,
        weights=np.array([weight for _, weight in point.weights]),
        rank_constant=point.rank_constant or 0.0,
        starts=np.array([order.index(name) for name in entries.names], dtype=np.int64),
    )
