"""Six significant digits of many scores: those that writing each decimal gives, to the last bit."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.candidates.rounding import six_digits
from pipeline.storage import round_significant


def one_by_one(values: list[float]) -> list[float]:
    return [round_significant(value) + 0.0 for value in values]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=30))
@example([0.0, -0.0, 5e-324, -1.7976931348623157e308])
@example([999999.5, 99999.95, 0.1, 1.0, 1e22, 1e-16, 9.99999e20])
def test_any_values(values: list[float]) -> None:
    assert six_digits(np.array(values)).tobytes() == np.array(one_by_one(values)).tobytes()


@given(st.integers(100_000, 999_999), st.integers(-30, 30), st.integers(-3, 3))
def test_values_on_and_beside_the_middle_between_two_decimals(
    digits: int, power: int, steps: int
) -> None:
    value = float(f"{digits}5e{power}")
    for _ in range(abs(steps)):
        value = float(np.nextafter(value, np.inf if steps > 0 else 0.0))
    assert six_digits(np.array([value, -value])).tolist() == one_by_one([value, -value])


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 40.0, 1e9])
def test_scores_as_engines_give_them(scale: float) -> None:
    values = np.random.default_rng(3).normal(scale=scale, size=20_000)
    in_32_bits = values.astype(np.float32).astype(np.float64)
    for some in (values, in_32_bits):
        assert six_digits(some).tolist() == one_by_one(some.tolist())


def test_what_is_no_number_stays() -> None:
    assert np.isnan(six_digits(np.array([np.nan]))).all()
    assert six_digits(np.array([np.inf, -np.inf])).tolist() == [np.inf, -np.inf]
