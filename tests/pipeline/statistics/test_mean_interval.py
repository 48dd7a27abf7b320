"""The interval of one system's mean."""

import polars as pl
import pytest
import scipy.stats

from pipeline.statistics import MeanInterval, mean_interval


def values(*numbers: float | None) -> pl.DataFrame:
    names = [f"q{i}" for i in range(len(numbers))]
    return pl.DataFrame(
        {"query_id": names, "value": list(numbers)}, schema_overrides={"value": pl.Float64}
    )


ALONE = {f"q{i}": f"g{i}" for i in range(9)}


def test_independent_queries_give_scipys_t_interval() -> None:
    data = [0.1, 0.4, 0.9, 0.3]
    found = mean_interval(values(*data), ALONE, 0.05)
    expected = scipy.stats.ttest_1samp(data, 0.0).confidence_interval(0.90)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.value, found.queries, found.groups) == (pytest.approx(0.425), 4, 4)


def test_undefined_queries_leave_the_mean_and_are_not_counted() -> None:
    assert mean_interval(values(0.2, None, 0.4), ALONE).queries == 2


def test_weights_move_the_mean_towards_what_is_asked_often() -> None:
    found = mean_interval(values(0.0, 1.0), ALONE, weights={"q1": 3.0})
    assert found.value == pytest.approx(0.75)


def test_one_group_or_one_value_everywhere_is_no_evidence_of_an_interval() -> None:
    together = {"q0": "g", "q1": "g"}
    assert mean_interval(values(0.2, 0.4), together) == MeanInterval(
        pytest.approx(0.3), None, None, 2, 1
    )
    assert mean_interval(values(1.0, 1.0, 1.0), ALONE) == MeanInterval(1.0, None, None, 3, 3)


def test_without_values_there_is_no_mean() -> None:
    assert mean_interval(values(None), ALONE) == MeanInterval(None, None, None, 0, 0)
