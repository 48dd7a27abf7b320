"""Whether a baseline leaves any outcome that could pass."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.statistics import highest_low, mean_interval

tenths = st.integers(0, 10).map(lambda tenth: tenth / 10)


def values(numbers: list[float]) -> pl.DataFrame:
    names = [f"q{i}" for i in range(len(numbers))]
    return pl.DataFrame({"query_id": names, "value": numbers})


ALONE = {f"q{i}": f"g{i}" for i in range(20)}


def test_a_perfect_baseline_leaves_no_room() -> None:
    assert highest_low(values([1.0, 1.0, 1.0]), ALONE, 0.05) == 0.0


def test_a_baseline_that_misses_one_query_leaves_nothing_that_can_be_shown() -> None:
    # One gain of 1 among ten: its own spread hides it.
    assert highest_low(values([1.0] * 9 + [0.0]), ALONE, 0.05) == pytest.approx(0.0)


def test_the_same_room_everywhere_can_all_be_shown() -> None:
    assert highest_low(values([0.6, 0.6, 0.6]), ALONE, 0.05) == pytest.approx(0.4)


@settings(max_examples=25, deadline=None)
@given(pairs=st.lists(st.tuples(tenths, tenths), min_size=2, max_size=20))
def test_no_outcome_exceeds_it(pairs: list[tuple[float, float]]) -> None:
    baseline = [theirs for theirs, _ in pairs]
    outcome = mean_interval(values([ours - theirs for theirs, ours in pairs]), ALONE)
    best = highest_low(values(baseline), ALONE, 0.05)
    assert best is not None
    if outcome.low is not None:
        assert outcome.low <= best + 1e-3


def test_one_group_can_show_nothing() -> None:
    assert highest_low(values([0.1, 0.2]), {"q0": "g", "q1": "g"}, 0.05) is None
    assert highest_low(values([]).cast({"value": pl.Float64}), ALONE, 0.05) is None
