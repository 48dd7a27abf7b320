"""The grid as a lattice: which points are one step apart, and which lie on its edge.

An axis step is the next declared rank constant, the next declared depth, or one share of weight
(one `weight_step`) handed from one branch to another.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt

from pipeline.fusion import METHODS, Configuration
from pipeline.fusion.limits import LARGEST_RANK_CONSTANT

Neighbours = npt.NDArray[np.int64]
Pair = tuple[int, int]

NOBODY = -1


def neighbours(points: Sequence[Configuration]) -> Neighbours:
    """The neighbours of each point, one axis and one step away.

    Args:
        points: the points of one grid, in any order.

    Returns:
        (points, most neighbours): positions in `points`, rising, filled up with -1.
    """
    pairs = {*_on_constants(points), *_on_depths(points), *_on_weights(points)}
    near: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    widest = max((len(found) for found in near.values()), default=0)
    table = np.full((len(points), widest), NOBODY, dtype=np.int64)
    for point, found in near.items():
        table[point, : len(found)] = sorted(found)
    return table


def edges(point: Configuration, points: Sequence[Configuration]) -> list[str]:
    """The axes with several values on whose edge a point lies, by name.

    The least and the greatest rank constant that exist are no edges: nothing lies beyond. Nor is
    a weight of 0: the branch is out. A weight is on its edge where one step more would leave
    that branch alone.
    """
    return [
        name
        for name, lies in (
            ("rank_constant", _constant_edge(point, points)),
            ("weights", _weight_edge(point, points)),
            ("depths", _depth_edge(point, points)),
        )
        if lies
    ]


def shares(points: Sequence[Configuration]) -> list[Mapping[str, int]]:
    """Each point's weights as whole shares, of as many parts as its method's grid is cut into."""
    parts = _parts(points)
    return [
        {name: round(weight * parts.get(point.method, 1)) for name, weight in point.weights}
        for point in points
    ]


def _parts(points: Iterable[Configuration]) -> dict[str, int]:
    least: dict[str, float] = {}
    for point in points:
        if METHODS[point.method].takes_weights:
            smallest = min(weight for _, weight in point.weights)
            least[point.method] = min(smallest, least.get(point.method, 1.0))
    return {method: round(1 / smallest) for method, smallest in least.items()}


def _chains(groups: Mapping[object, list[tuple[float, int]]]) -> Iterable[Pair]:
    for chain in groups.values():
        yield from ((one, other) for (_, one), (_, other) in pairwise(sorted(chain)))


def _on_constants(points: Sequence[Configuration]) -> Iterable[Pair]:
    groups: dict[object, list[tuple[float, int]]] = defaultdict(list)
    for place, point in enumerate(points):
        if point.rank_constant is not None:
            groups[point.method, point.weights, point.depths].append((point.rank_constant, place))
    return _chains(groups)


def _on_depths(points: Sequence[Configuration]) -> Iterable[Pair]:
    groups: dict[object, list[tuple[float, int]]] = defaultdict(list)
    for place, point in enumerate(points):
        key = point.method, point.weights, point.rank_constant
        groups[key].append((_total_depth(point), place))
    return _chains(groups)


def _on_weights(points: Sequence[Configuration]) -> Iterable[Pair]:
    whole = shares(points)
    branches = sorted({name for point in points for name, _ in point.weights})
    places: dict[object, list[int]] = defaultdict(list)
    for place, point in enumerate(points):
        places[_key(point, whole[place])].append(place)
    for place, point in enumerate(points):
        if not METHODS[point.method].takes_weights:
            continue
        for giver, taker in permutations(branches, 2):
            moved = _moved(whole[place], giver, taker)
            for other in places.get(_key(point, moved), []):
                if _agree(point, points[other]):
                    yield place, other


def _key(point: Configuration, whole: Mapping[str, int]) -> object:
    return point.method, point.rank_constant, tuple(sorted(whole.items()))


def _moved(whole: Mapping[str, int], giver: str, taker: str) -> dict[str, int]:
    moved = dict(whole)
    moved[giver] = moved.get(giver, 0) - 1
    moved[taker] = moved.get(taker, 0) + 1
    return {name: share for name, share in moved.items() if share}


def _agree(one: Configuration, other: Configuration) -> bool:
    theirs = dict(other.depths)
    return all(theirs.get(name, depth) == depth for name, depth in one.depths)


def _total_depth(point: Configuration) -> int:
    return sum(depth for _, depth in point.depths)


def _constant_edge(point: Configuration, points: Sequence[Configuration]) -> bool:
    axis = {
        p.rank_constant
        for p in points
        if (p.method, p.weights, p.depths) == (point.method, point.weights, point.depths)
        and p.rank_constant is not None
    }
    limits = {1.0, float(LARGEST_RANK_CONSTANT)}
    return len(axis) > 1 and point.rank_constant in {min(axis), max(axis)} - limits


def _weight_edge(point: Configuration, points: Sequence[Configuration]) -> bool:
    if not METHODS[point.method].takes_weights:
        return False
    parts = _parts(points)[point.method]
    greatest = max(weight for _, weight in point.weights)
    return parts > 2 and math.isclose(greatest, 1 - 1 / parts, abs_tol=1e-6)


def _depth_edge(point: Configuration, points: Sequence[Configuration]) -> bool:
    axis = {
        _total_depth(p)
        for p in points
        if (p.method, p.weights, p.rank_constant)
        == (point.method, point.weights, point.rank_constant)
    }
    return len(axis) > 1 and _total_depth(point) in {min(axis), max(axis)}
