"""The points that are tried, and how many there are before any is made."""

from math import comb

import pytest
import rows
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.grid.points import (
    branch_grid,
    convex_grid,
    declared_grid,
    declared_points,
    distinct_depths,
    left_out,
)
from pipeline.grid.simplex import nearest_parts, simplex, simplex_points, weight_parts
from pipeline.params import Params


def study(branches: int = 2, *, depths: tuple[int, ...] = (100,) * 5, **sections: object) -> Params:
    known = {
        name: {"kind": "recorded", "run": name, "depth": depth}
        for name, depth in zip("abcde"[:branches], depths, strict=False)
    }
    return rows.params(known, **sections)


def test_two_branches_in_tenths_are_nine_points_for_each_rank_constant() -> None:
    params = study(sweep={"methods": ["rrf"], "rank_constants": [10, 60], "weight_step": 0.1})
    grid = declared_grid(params, [100])
    weights = {point.weights for point in grid}
    assert len(grid) == 18
    assert weights == {(("a", w / 10), ("b", (10 - w) / 10)) for w in range(1, 10)}


def test_single_branches_are_no_points_of_the_declared_grid() -> None:
    grid = declared_grid(study(3, sweep={"weight_step": 0.25}), [100])
    assert min(len(point.weights) for point in grid) == 2
    assert max(len(point.weights) for point in grid) == 3


def test_three_branches_in_tenths_are_the_simplex_without_its_corners() -> None:
    assert simplex_points(3, 10) == comb(12, 2) - 3 == len(list(simplex("abc", 10)))


def test_a_rank_constant_spelt_twice_is_one_point() -> None:
    params = study(sweep={"methods": ["rrf"], "rank_constants": [60, 60.0], "weight_step": 0.5})
    assert len(declared_grid(params, [100])) == declared_points(params) == 1


def test_methods_without_weights_take_every_set_of_branches_evenly() -> None:
    grid = declared_grid(study(3, sweep={"methods": ["combsum"]}), [100])
    assert sorted(len(point.weights) for point in grid) == [2, 2, 2, 3]
    assert all(len({weight for _, weight in point.weights}) == 1 for point in grid)


def test_a_depth_is_cut_to_what_the_branch_retrieves() -> None:
    params = study(depths=(50, 100), sweep={"depths": [20, 100, 200]})
    assert distinct_depths(params) == [20, 100]
    assert {point.depths for point in declared_grid(params, [100])} == {(("a", 50), ("b", 100))}


def test_production_takes_no_part_unless_listed() -> None:
    free = declared_grid(study(3, production="c"), [100])
    listed = declared_grid(study(3, production="c", fusion={"branches": ["a", "b", "c"]}), [100])
    assert {name for point in free for name in point.branches} == {"a", "b"}
    assert {name for point in listed for name in point.branches} == {"a", "b", "c"}
    assert [point.branches for point in branch_grid(study(3, production="c"))] == [
        ("a",),
        ("b",),
        ("c",),
    ]


def test_one_branch_cannot_be_fused() -> None:
    with pytest.raises(ParameterError, match=r"fusion\.branches: fusion needs at least two"):
        declared_points(study(1))


@pytest.mark.parametrize("step", [0.3, 0.07, 0.35])
def test_a_weight_step_that_does_not_divide_the_whole_is_refused(step: float) -> None:
    with pytest.raises(ParameterError, match=rf"sweep\.weight_step.*found {step}"):
        weight_parts(step)


@pytest.mark.parametrize(("step", "parts"), [(0.5, 2), (0.3333, 3), (0.05, 20), (0.025, 40)])
def test_a_weight_step_that_divides_the_whole_up_to_spelling(step: float, parts: int) -> None:
    assert weight_parts(step) == parts


@settings(max_examples=50, deadline=None)
@given(
    branches=st.integers(2, 4),
    depths=st.lists(st.sampled_from([5, 10, 20, 50]), min_size=4, max_size=4),
    axis=st.lists(st.sampled_from([5, 10, 30, 100]), min_size=1, max_size=3),
    methods=st.lists(
        st.sampled_from(["rrf", "convex_minmax", "combmnz", "round_robin", "isr"]),
        min_size=1,
        unique=True,
    ),
    step=st.sampled_from([0.5, 0.25, 0.2]),
    joint=st.booleans(),
)
def test_the_number_of_points_is_known_beforehand(
    branches: int,
    depths: list[int],
    axis: list[int],
    methods: list[str],
    step: float,
    joint: bool,
) -> None:
    params = study(
        branches,
        depths=tuple(depths),
        sweep={"methods": methods, "depths": axis, "weight_step": step, "joint": joint},
    )
    chosen = distinct_depths(params) if joint else [max(axis)]
    grid = declared_grid(params, chosen)
    assert len(grid) == declared_points(params)
    assert [point.id for point in grid] == sorted({point.id for point in grid})


def test_the_tuned_comparator_has_as_many_points_as_the_declared_grid() -> None:
    params = study()
    declared = declared_grid(params, [100])
    convex = convex_grid(params, ["a", "b"], [100], len(declared))
    assert len(declared) == len(convex) == 81
    assert {point.method for point in convex} == {"convex_minmax"}


@given(st.integers(2, 4), st.integers(1, 3000))
def test_no_other_step_comes_nearer_to_the_number_of_points(branches: int, points: int) -> None:
    parts = nearest_parts(branches, points)
    missed = abs(simplex_points(branches, parts) - points)
    around = list(range(max(2, parts - 3), parts + 4))
    assert missed == min(abs(simplex_points(branches, p) - points) for p in around)


def test_all_declared_convex_methods_share_the_comparators_points() -> None:
    params = study(sweep={"methods": ["rrf", "convex_minmax", "convex_zscore"]})
    convex = convex_grid(params, ["a", "b"], [100], 100)
    assert len(convex) == 100
    assert {point.method for point in convex} == {"convex_minmax", "convex_zscore"}


def test_without_two_branches_that_give_scores_there_is_no_comparator() -> None:
    assert convex_grid(study(), ["a"], [100], 81) == ()


def test_a_target_keeps_what_the_engine_can_serve_and_counts_what_it_cannot() -> None:
    """Milvus has no weights and no scores: of 3 · 2 RRF points and 3 convex ones 2 are left."""
    sweep = {
        "methods": ["rrf", "convex_minmax"],
        "rank_constants": [10, 60],
        "weight_step": 0.25,
        "target": "milvus",
    }
    params = study(sweep=sweep)
    grid = declared_grid(params, [100])
    assert [point.weights for point in grid] == [(("a", 0.5), ("b", 0.5))] * 2
    assert {point.rank_constant for point in grid} == {10, 60}
    assert declared_points(params) == 2
    barred = left_out(params, [100])
    assert sum(barred.values()) == 4 + 3
    assert barred["method convex_minmax, and it fuses by rrf"] == 3


def test_no_target_leaves_nothing_out() -> None:
    params = study()
    assert left_out(params, [100]) == {}


def test_a_target_that_can_serve_nothing_is_refused() -> None:
    sweep = {"methods": ["borda"], "weight_step": 0.5, "target": "qdrant"}
    with pytest.raises(ParameterError, match=r"sweep\.target: qdrant can serve no point.*borda"):
        declared_grid(study(sweep=sweep), [100])
