"""Holm's correction of p values that are looked at together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics import holm

p_values = st.lists(st.floats(0.0, 1.0), max_size=12)


def test_three_candidates_against_one_baseline() -> None:
    assert holm([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])


def test_one_comparison_needs_no_correction_and_none_takes_no_part() -> None:
    assert holm([0.04]) == [0.04]
    assert holm([None, 0.04, None]) == [None, 0.04, None]
    assert holm([]) == []


def slow_holm(p: list[float], place: int) -> float:
    """The largest of (number not smaller) × p among the values not above this one."""
    return max(min(1.0, sum(other >= q for other in p) * q) for q in p if q <= p[place])


@given(p=p_values)
def test_equals_its_slow_twin(p: list[float]) -> None:
    assert holm(p) == pytest.approx([slow_holm(p, place) for place in range(len(p))])


@given(p=p_values)
def test_lies_between_the_value_and_bonferronis_and_keeps_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    for before, after in zip(p, adjusted, strict=True):
        assert after is not None
        assert before <= after <= min(1.0, before * len(p)) + 1e-12
    assert sorted(range(len(p)), key=lambda i: (adjusted[i], p[i], i)) == sorted(
        range(len(p)), key=lambda i: (p[i], i)
    )
