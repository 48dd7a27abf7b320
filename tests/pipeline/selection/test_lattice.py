"""Neighbours and edges of grids, by hand and by law."""

from collections.abc import Sequence

import pytest
import rows
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.fusion import Configuration
from pipeline.grid.points import declared_grid
from pipeline.selection.lattice import edges, neighbours
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
