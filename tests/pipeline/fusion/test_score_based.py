"""Methods on scores: min-max, z-score, theoretical minimum, CombSUM, CombMNZ."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from listing import even, lists, scored

from pipeline.errors import ContractError
from pipeline.fusion import Contract


def test_scores_on_unequal_scales_are_brought_to_one_scale_first():
    # The raw sum would let bm25 decide alone: a 6.0, b 4.95.
    frame = lists(bm25={"q1": {"a": 12.0, "b": 9.0, "c": 3.0}}, dense={"q1": {"b": 0.9, "d": 0.5}})
    found = scored(frame, even("convex_minmax", "bm25", "dense"))
    assert list(found) == ["b", "a", "d", "c"]
    assert found == {"b": 0.5 + 0.5 * 6 / 9, "a": 0.5, "d": 0.0, "c": 0.0}


def test_an_inverted_distance_is_a_similarity_and_a_missing_document_gains_nothing():
    distances = {"p": -0.2, "q": -0.9, "r": -1.4}
    found = scored(
        lists(dense={"q1": distances}, bm25={"q1": {"z": 3.0}}),
        even("convex_minmax", "dense", "bm25"),
    )
    assert found["p"] == found["z"] == 0.5
    assert found["q"] == pytest.approx(0.5 * 0.416667, abs=1e-6)
    assert found["r"] == 0.0


def test_minmax_of_a_constant_or_one_item_list_is_1():
    frame = lists(a={"q1": {"x": 4.0, "y": 4.0}, "q2": {"z": -3.0}})
    contract = even("convex_minmax", "a")
    assert scored(frame, contract) == {"x": 1.0, "y": 1.0}
    assert scored(frame, contract, "q2") == {"z": 1.0}


def test_scores_are_normalised_within_the_collapsed_and_cut_list():
    frame = lists(
        evidence={"x1": "x", "x2": "x"}, a={"q1": {"x1": 10.0, "y": 8.0, "x2": 6.0, "z": 2.0}}
    )
    assert scored(frame, even("convex_minmax", "a")) == {"x1": 1.0, "y": 0.75, "z": 0.0}
    assert scored(frame, even("convex_minmax", "a", depth=3)) == {"x1": 1.0, "y": 0.0}


def test_zscores_have_mean_0_and_unit_deviation():
    frame = lists(a={"q1": {"x": 6.0, "y": 4.0, "z": 2.0}})
    spread = math.sqrt(8 / 3)
    assert scored(frame, even("convex_zscore", "a")) == pytest.approx(
        {"x": 2 / spread, "y": 0.0, "z": -2 / spread}
    )


def test_zscores_of_a_constant_list_are_0_whatever_the_mean_rounds_to():
    frame = lists(a={"q1": dict.fromkeys("uvwxyz", 0.1)})
    assert set(scored(frame, even("convex_zscore", "a")).values()) == {0.0}


def test_the_theoretical_minimum_stands_in_for_the_lowest_retrieved():
    frame = lists(bm25={"q1": {"x": 8.0, "y": 4.0}}, dense={"q1": {"y": 0.6, "x": 0.2}})
    contract = Contract.of(
        "convex_tmm",
        weights={"bm25": 1, "dense": 1},
        depths={"bm25": 9, "dense": 9},
        minima={"bm25": 0, "dense": -1},
    )
    assert scored(frame, contract) == pytest.approx(
        {"x": 0.5 * 1 + 0.5 * 1.2 / 1.6, "y": 0.5 * 0.5 + 0.5 * 1}
    )


def test_an_unknown_or_wrong_minimum_is_refused_by_its_key():
    frame = lists(dot={"q1": {"x": -2.0}})
    with pytest.raises(ContractError, match=r"fusion\.minima\.dot: the least possible score is"):
        scored(frame, even("convex_tmm", "dot"))
    with pytest.raises(ContractError, match=r"below the declared minimum; found -2\.0"):
        scored(frame, even("convex_tmm", "dot", minima={"dot": -1}))


@pytest.mark.parametrize("method", ["convex_minmax", "convex_zscore", "combsum", "combmnz"])
def test_scores_whose_differences_no_float_holds_are_refused(method):
    # max - min would be infinite, and the best item's share of it NaN: it would come last.
    frame = lists(a={"q1": {"x": 1e308, "y": 0.0, "z": -1e308}})
    with pytest.raises(ContractError, match=r"branch 'a': a score is too large .* found 1e\+308"):
        scored(frame, even(method, "a"))
    edge = lists(a={"q1": {"x": 1e150, "y": 0.0, "z": -1e150}})
    found = scored(edge, even(method, "a"))
    assert found["x"] > found["y"] > found["z"]


def test_combmnz_multiplies_by_the_number_of_branches_that_returned_it():
    frame = lists(
        a={"q1": {"x": 3.0, "y": 2.0, "z": 1.0}}, b={"q1": {"y": 9.0, "z": 5.0, "w": 1.0}}
    )
    assert scored(frame, even("combsum", "a", "b")) == {
        "y": 0.75,
        "x": 0.5,
        "z": 0.25,
        "w": 0.0,
    }
    assert scored(frame, even("combmnz", "a", "b")) == {"y": 1.5, "x": 0.5, "z": 0.5, "w": 0.0}


@given(
    scores=st.lists(st.integers(-50, 50), min_size=1, max_size=6, unique=True),
    scale=st.sampled_from([0.5, 2.0, 8.0]),
    shift=st.integers(-8, 8),
)
def test_minmax_does_not_see_a_change_of_scale_or_origin(scores, scale, shift):
    ordered = sorted(scores, reverse=True)
    names = [f"d{place}" for place in range(len(ordered))]
    contract = even("convex_minmax", "a")
    plain = lists(a={"q1": {n: float(s) for n, s in zip(names, ordered, strict=True)}})
    moved = lists(a={"q1": {n: s * scale + shift for n, s in zip(names, ordered, strict=True)}})
    assert scored(moved, contract) == scored(plain, contract)
    assert all(0 <= value <= 1 for value in scored(plain, contract).values())
