"""The grid as a lattice: which points are one step apart, and which lie on its edge.

An axis step is the next declared rank constant, the next declared depth, or one share of weight
(one `weight_step`) handed from one branch to another.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, pairwise, product

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
    pairs = [*_on_constants(points), *_on_depths(points), *_on_weights(points)]
    one, other = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    count = max(len(points), 1)
    both = np.unique(np.concatenate((one * count + other, other * count + one)))
    point, near = np.divmod(both, count)
    found = np.bincount(point, minlength=len(points))
    table = np.full((len(points), found.max(initial=0)), NOBODY, dtype=np.int64)
    table[point, np.arange(len(point)) - np.repeat(np.cumsum(found) - found, found)] = near
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
    """Each pair once: what one point hands on, the other would hand back.

    Shares are the digits of one number, a digit for each branch, so that a step is a difference of
    two powers. No share is as large as the greatest digit, which only borrowing leaves behind:
    what a branch does not have, it never hands on.
    """
    whole = shares(points)
    digits = 2 + max((share for one in whole for share in one.values()), default=0)
    powers = {
        name: digits**place
        for place, name in enumerate(sorted({name for one in whole for name in one}))
    }
    steps = [taker - giver for giver, taker in combinations(powers.values(), 2)]
    groups: dict[object, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for place, (point, one) in enumerate(zip(points, whole, strict=True)):
        if METHODS[point.method].takes_weights:
            number = sum(share * powers[name] for name, share in one.items())
            groups[point.method, point.rank_constant][number].append(place)
    for places in groups.values():
        for number, here in places.items():
            for there in (places[number + step] for step in steps if number + step in places):
                yield from (
                    (one, other)
                    for one, other in product(here, there)
                    if _agree(points[one], points[other])
                )


def _agree(one: Configuration, other: Configuration) -> bool:
    both = {*one.depths, *other.depths}
    return len(dict(both)) == len(both)  # no branch with two depths


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
