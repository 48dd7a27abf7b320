"""Reciprocal rank fusion by hand."""

import logging
import math
from fractions import Fraction

import pytest
from fusion_twin import exact_rrf
from hypothesis import given
from hypothesis import strategies as st
from strategies import positive_weights, rank_constants, rankings, several_rankings

from pipeline.errors import ContractError, ParameterError
from pipeline.fusion import reciprocal_rank_fusion


def ids(fused):
    return [item.id for item in fused]


def scores(fused):
    return {item.id: item.score for item in fused}


def test_a_document_in_two_lists_has_the_sum_of_two_reciprocals():
    fused = reciprocal_rank_fusion([["x", "y", "d"], ["d", "z"]])
    assert fused[0].id == "d"
    assert fused[0].score == 1 / (60 + 1) + 1 / (60 + 3)
    assert fused[0].ranks == (3, 1)
    assert (fused[0].rank, fused[0].best_rank) == (1, 1)
    assert fused[1].ranks == (1, None)


def test_weights_are_taken_as_they_are_given():
    fused = reciprocal_rank_fusion([["a"], ["a", "b"]], weights=[2, 0.5])
    assert scores(fused) == {"a": 2 / 61 + 0.5 / 61, "b": 0.5 / 62}


def test_ranks_start_at_1_and_absent_documents_get_no_made_up_rank():
    fused = reciprocal_rank_fusion([["p1", "p2", "p3", "m"], ["s1", "s2", "s3", "m"]])
    assert ids(fused) == ["m", "p1", "s1", "p2", "s2", "p3", "s3"]
    assert [item.score for item in fused] == pytest.approx(
        [0.031250, 0.016393, 0.016393, 0.016129, 0.016129, 0.015873, 0.015873], abs=5e-7
    )


def test_the_order_of_branches_breaks_no_exact_tie():
    # M has ranks (1, 2, 7), N has (7, 1, 2): added from left to right, floats tell them apart.
    lists = [
        ["M", *"abcde", "N"],
        ["N", "M", *"fghij"],
        ["k", "N", *"lmno", "M"],
    ]
    fused = reciprocal_rank_fusion(lists)
    assert ids(fused)[:2] == ["M", "N"]
    assert fused[0].score == fused[1].score
    assert 1 / 61 + 1 / 62 + 1 / 67 != 1 / 67 + 1 / 61 + 1 / 62


def test_a_list_of_weight_0_adds_no_results():
    for constant in (1, 10, 60, 1000):
        fused = reciprocal_rank_fusion(
            [["A", "B"], ["Z", "A"]], weights=[1, 0], rank_constant=constant
        )
        alone = reciprocal_rank_fusion([["A", "B"]], rank_constant=constant)
        assert scores(fused) == scores(alone)
        assert ids(fused) == ["A", "B"]


def test_ties_of_score_and_best_rank_go_to_the_smaller_code_point():
    # UTF-16 would put the last two the other way round.
    fused = reciprocal_rank_fusion([["𐀀"], ["\uffff"], ["é"], ["Z"], ["a"], ["10"], ["9"]])
    assert ids(fused) == ["10", "9", "Z", "a", "é", "\uffff", "𐀀"]


def test_a_better_best_rank_wins_an_equal_sum():
    # 1/(2+1) + 1/(2+4) = 1/(2+2) + 1/(2+2) = 1/2, and a comes before z.
    fused = reciprocal_rank_fusion([["z", "a", "p", "q"], ["r", "a", "s", "z"]], rank_constant=2)
    assert fused[0].score == fused[1].score == 0.5
    assert ids(fused)[:2] == ["z", "a"]


def test_past_depth_ranks_a_missing_item_one_place_after_the_end():
    fused = reciprocal_rank_fusion([["a", "b"], ["b"]], missing="past_depth", rank_constant=1)
    assert scores(fused) == {"b": 1 / 2 + 1 / 3, "a": 1 / 2 + 1 / 3}
    assert ids(fused) == ["a", "b"]
    assert scores(reciprocal_rank_fusion([["a"], []], missing="past_depth")) == {"a": 1 / 61}


def test_an_id_twice_is_refused_or_the_first_is_kept_and_the_rest_renumbered(caplog):
    with pytest.raises(ContractError, match=r"rankings\[1\].*stands twice.*found a"):
        reciprocal_rank_fusion([["b"], ["a", "a", "b"]])
    with caplog.at_level(logging.WARNING):
        fused = reciprocal_rank_fusion([["a", "a", "b"]], duplicates="keep_first")
    assert scores(fused) == {"a": 1 / 61, "b": 1 / 62}
    assert "1 repeated ids dropped: a" in caplog.text


def test_shorter_outputs_are_prefixes_of_one_list():
    lists = [["p", "a", "b", "m", "c"], ["q", "d", "e", "m", "f"]]
    whole = ids(reciprocal_rank_fusion(lists))
    assert whole[0] == "m"
    for depth in (1, 3, 5):
        assert ids(reciprocal_rank_fusion(lists, output_depth=depth)) == whole[:depth]


@pytest.mark.parametrize("constant", [0, 0.999, -1, 100_001, math.inf, math.nan, "60", None, True])
def test_a_rank_constant_outside_1_to_100000_is_refused(constant):
    with pytest.raises(ParameterError, match="rank_constant: the rank constant is refused; found"):
        reciprocal_rank_fusion([["a"]], rank_constant=constant)


@pytest.mark.parametrize("weights", [(math.inf, 1), (math.nan, 1), (-1, 1), ("0.5", 1), (None, 1)])
def test_a_weight_that_is_no_finite_number_from_0_on_is_refused_by_place(weights):
    with pytest.raises(ParameterError, match=r"weights\.0: a weight is refused; found"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=weights)


def test_weights_that_are_all_0_leave_no_active_branch():
    with pytest.raises(ParameterError, match="no active branch"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=(0, 0))


def test_one_weight_too_few_is_refused():
    with pytest.raises(ParameterError, match="1 weights for 2 branches"):
        reciprocal_rank_fusion([["a"], ["b"]], weights=[1])


@pytest.mark.parametrize("depth", [0, -1, 1.5, "3", True])
def test_an_output_depth_below_1_is_refused(depth):
    with pytest.raises(ParameterError, match="output_depth"):
        reciprocal_rank_fusion([["a"]], output_depth=depth)


@pytest.mark.parametrize("ranking", ["abc", [1, 2], [None]])
def test_what_is_not_a_list_of_ids_is_refused(ranking):
    with pytest.raises(ContractError, match=r"rankings\[0\]: not a list of ids"):
        reciprocal_rank_fusion([ranking])


@pytest.mark.parametrize("choice", [{"missing": "zero"}, {"duplicates": "sum"}])
def test_an_unknown_choice_is_refused_with_the_known_ones(choice):
    with pytest.raises(ParameterError, match="unknown"):
        reciprocal_rank_fusion([["a"]], **choice)


def test_nothing_fused_is_nothing():
    assert reciprocal_rank_fusion([]) == []
    assert reciprocal_rank_fusion([[], []]) == []


@given(lists=several_rankings(), constant=rank_constants(), data=st.data())
def test_scores_are_those_of_exact_arithmetic(lists, constant, data):
    weights = data.draw(st.lists(positive_weights(), min_size=len(lists), max_size=len(lists)))
    fused = reciprocal_rank_fusion(lists, rank_constant=constant, weights=weights)
    exact = exact_rrf(lists, constant, weights)
    assert set(exact) == set(ids(fused))
    for item in fused:
        assert math.isclose(item.score, exact[item.id], rel_tol=1e-14)
        assert abs(Fraction(item.score) - exact[item.id]) < Fraction(1, 10**12)


@given(lists=several_rankings(), data=st.data())
def test_the_order_of_branches_changes_nothing(lists, data):
    shuffled = data.draw(st.permutations(lists))
    assert scores(reciprocal_rank_fusion(lists)) == scores(reciprocal_rank_fusion(shuffled))
    assert ids(reciprocal_rank_fusion(lists)) == ids(reciprocal_rank_fusion(shuffled))


@given(lists=several_rankings(), further=rankings())
def test_a_further_contribution_never_lowers_a_score(lists, further):
    before = scores(reciprocal_rank_fusion(lists))
    after = scores(reciprocal_rank_fusion([*lists, further]))
    assert all(after[name] >= score for name, score in before.items())
    assert all(after[name] > before.get(name, 0.0) for name in further)


@given(lists=several_rankings(), missing=st.sampled_from(["skip", "past_depth"]))
def test_an_empty_branch_changes_nothing(lists, missing):
    alone = reciprocal_rank_fusion(lists, missing=missing)
    assert scores(alone) == scores(reciprocal_rank_fusion([*lists, []], missing=missing))


@given(ranking=rankings(), constant=rank_constants(), weight=positive_weights())
def test_one_branch_alone_keeps_its_order(ranking, constant, weight):
    assert ids(reciprocal_rank_fusion([ranking], rank_constant=constant, weights=[weight])) == (
        ranking
    )
