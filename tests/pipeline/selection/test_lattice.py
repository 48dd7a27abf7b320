"""Neighbours and edges of grids, by hand and by law."""

from collections.abc import Sequence
from random import Random

import pytest
import rows
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.fusion import METHODS, Configuration
from pipeline.grid.points import declared_grid
from pipeline.selection.lattice import edges, neighbours, shares
from pipeline.selection.simplicity import by_simplicity

K = (1.0, 10.0, 60.0)


def grid(
    branches: str = "ab", *, step: float = 0.25, depths: Sequence[int] = (9,), **sweep: object
) -> list[Configuration]:
    known = {name: {"kind": "recorded", "run": name, "depth": 9} for name in branches}
    params = rows.params(
        known,
        sweep={
            "methods": ["rrf"],
            "rank_constants": list(K),
            "weight_step": step,
            "depths": list(depths),
            "joint": True,
            **sweep,
        },
    )
    return list(declared_grid(params, sorted(depths)))


def rrf(k: float, depth: int = 9, **weights: float) -> Configuration:
    return Configuration.of(
        "rrf", rank_constant=k, weights=weights, depths=dict.fromkeys(weights, depth)
    )


def near(point: Configuration, points: list[Configuration]) -> set[Configuration]:
    return {points[n] for n in neighbours(points)[points.index(point)] if n >= 0}


def test_neighbours_are_one_axis_and_one_step_away() -> None:
    assert near(rrf(10, a=2, b=2), grid()) == {
        rrf(1, a=2, b=2),
        rrf(60, a=2, b=2),
        rrf(10, a=1, b=3),
        rrf(10, a=3, b=1),
    }


def test_with_three_branches_a_share_goes_from_any_one_to_any_other() -> None:
    found = near(rrf(60, a=2, b=1, c=1), grid("abc", rank_constants=[60]))
    assert found == {
        rrf(60, a=1, b=2, c=1),
        rrf(60, a=1, b=1, c=2),
        rrf(60, a=3, b=1),
        rrf(60, a=3, c=1),
        rrf(60, a=2, b=2),
        rrf(60, a=2, c=2),
    }


def test_depths_are_an_axis_of_a_joint_grid() -> None:
    found = near(rrf(10, depth=6, a=2, b=2), grid(depths=(3, 6, 9)))
    assert {point for point in found if dict(point.depths)["a"] != 6} == {
        rrf(10, depth=3, a=2, b=2),
        rrf(10, depth=9, a=2, b=2),
    }


def test_methods_are_no_neighbours() -> None:
    points = grid(methods=["rrf", "isr"], rank_constants=[60])
    for point in points:
        assert {other.method for other in near(point, points)} == {point.method}


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from(["ab", "abc", "abcd"]),
    st.sampled_from([0.5, 0.25, 0.2]),
    st.lists(st.sampled_from([2, 5, 9]), min_size=1, unique=True),
)
def test_neighbourhood_goes_both_ways_and_never_to_oneself(
    branches: str, step: float, depths: list[int]
) -> None:
    table = neighbours(grid(branches, step=step, depths=depths))
    pairs = {(point, n) for point, line in enumerate(table.tolist()) for n in line if n >= 0}
    assert pairs == {(other, one) for one, other in pairs}
    assert all(one != other for one, other in pairs)


def apart(one: int, other: int, points: list[Configuration]) -> bool:
    """The definition: one share handed on, or beside each other on an axis of their own."""
    whole, (a, b) = shares(points), (points[one], points[other])
    if (a.method, a.rank_constant) == (b.method, b.rank_constant):
        names = {*whole[one], *whole[other]}
        moved = sorted(whole[one].get(name, 0) - whole[other].get(name, 0) for name in names)
        agree = all(dict(b.depths).get(name, depth) == depth for name, depth in a.depths)
        if agree and [share for share in moved if share] == [-1, 1]:
            return METHODS[a.method].takes_weights
    constants = [
        p.rank_constant or 0.0
        for p in points
        if (p.method, p.weights, p.depths) == (a.method, a.weights, a.depths)
    ]
    depths = [
        sum(dict(p.depths).values())
        for p in points
        if (p.method, p.weights, p.rank_constant) == (a.method, a.weights, a.rank_constant)
    ]
    if (a.method, a.weights, a.depths) == (b.method, b.weights, b.depths):
        return beside(a.rank_constant or 0.0, b.rank_constant or 0.0, constants)
    if (a.method, a.weights, a.rank_constant) == (b.method, b.weights, b.rank_constant):
        return beside(sum(dict(a.depths).values()), sum(dict(b.depths).values()), depths)
    return False


def beside(one: float, other: float, axis: Sequence[float]) -> bool:
    values = sorted(set(axis))
    return abs(values.index(one) - values.index(other)) == 1


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["ab", "abc", "abcd"]),
    st.sampled_from([0.5, 0.25, 0.2]),
    st.lists(st.sampled_from([2, 5, 9]), min_size=1, unique=True),
    st.randoms(use_true_random=False),
)
def test_neighbours_are_those_of_the_definition_and_rise(
    branches: str, step: float, depths: list[int], chance: Random
) -> None:
    methods = ["rrf", "convex_minmax", "combsum"]
    whole = grid(branches, step=step, depths=depths, methods=methods, rank_constants=[1, 60])
    # Some points of a grid in any order, as an engine that serves a part of it leaves them.
    points = chance.sample(whole, chance.randint(0, min(40, len(whole))))
    table = neighbours(points).tolist()
    for place, line in enumerate(table):
        near = [n for n in line if n >= 0]
        assert line == near + [-1] * (len(line) - len(near))
        assert near == [n for n in range(len(points)) if n != place and apart(place, n, points)]


@pytest.mark.parametrize(
    ("point", "expected"),
    [
        (rrf(10, a=2, b=2), []),
        (rrf(60, a=2, b=2), ["rank_constant"]),
        (rrf(1, a=2, b=2), []),  # nothing lies below a rank constant of 1
        (rrf(10, a=3, b=1), ["weights"]),
        (rrf(60, a=1, b=3), ["rank_constant", "weights"]),
    ],
)
def test_edges_are_where_the_axis_could_go_on(point: Configuration, expected: list[str]) -> None:
    assert edges(point, grid()) == expected


def test_an_axis_of_one_value_has_no_edge() -> None:
    assert edges(rrf(60, a=1, b=1), grid(step=0.5, rank_constants=[60])) == []


def test_a_branch_left_out_is_no_edge() -> None:
    assert edges(rrf(60, a=2, b=2), grid("abc", rank_constants=[60])) == []


def test_either_end_of_the_depths_is_an_edge() -> None:
    points = grid(depths=(3, 6, 9))
    found = {depth: edges(rrf(10, depth=depth, a=2, b=2), points) for depth in (3, 6, 9)}
    assert found == {3: ["depths"], 6: [], 9: ["depths"]}


def test_the_simplest_first() -> None:
    def other(method: str) -> Configuration:
        return Configuration.of(method, weights={"a": 1, "b": 1}, depths={"a": 9, "b": 9})

    order = [
        rrf(60, depth=5, a=1, b=1),
        rrf(60, a=1, b=1),
        rrf(61, a=1, b=1),
        rrf(10, a=1, b=1),
        rrf(60, a=1, b=1, c=1),
        rrf(60, a=1, b=2),
        rrf(60, a=1, b=1, c=2),
        other("isr"),
        other("convex_minmax"),
    ]
    assert list(by_simplicity(reversed(order))) == order
