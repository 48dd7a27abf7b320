"""Weights: refusals, and the one form of equal weights."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import BRANCHES, positive_weights

from pipeline.errors import ParameterError
from pipeline.fusion.weights import normalise_weights


def test_weights_get_sum_1_and_those_of_0_vanish():
    assert normalise_weights({"b": 3, "a": 1, "c": 0}) == (("a", 0.25), ("b", 0.75))


def test_the_dust_of_a_grid_step_is_no_other_point():
    assert normalise_weights({"a": 0.1 + 0.2, "b": 0.7}) == normalise_weights({"a": 3, "b": 7})
    thirds = normalise_weights({"a": 1, "b": 1, "c": 1})
    assert normalise_weights({"a": 0.3, "b": 0.3, "c": 0.3}) == thirds


def test_a_small_weight_stays():
    assert dict(normalise_weights({"a": 1, "b": 1e-13}))["b"] == pytest.approx(1e-13)


@pytest.mark.parametrize("weight", [math.inf, -math.inf, math.nan, -1, "0.5", None, True])
def test_a_weight_that_is_refused_is_named_by_its_branch(weight):
    with pytest.raises(ParameterError, match=r"weights\.dense: a weight is refused; found"):
        normalise_weights({"bm25": 1, "dense": weight})


@pytest.mark.parametrize("weights", [{}, {"a": 0}, {"a": 0, "b": 0.0}])
def test_no_weight_above_0_is_no_active_branch(weights):
    with pytest.raises(ParameterError, match="no active branch"):
        normalise_weights(weights)


@given(
    weights=st.dictionaries(st.sampled_from(BRANCHES), positive_weights(), min_size=1),
    factor=st.sampled_from([0.5, 2, 1024]),
)
def test_a_common_factor_changes_no_bit_and_twice_is_once(weights, factor):
    once = normalise_weights(weights)
    assert math.isclose(sum(weight for _, weight in once), 1, abs_tol=1e-11)
    assert normalise_weights(dict(once)) == once
    scaled = normalise_weights({name: weight * factor for name, weight in weights.items()})
    assert [w for _, w in scaled] == pytest.approx([w for _, w in once], rel=1e-11)
