"""Percentiles of measured times."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics.percentiles import calls_needed, percentile


@pytest.mark.parametrize(("share", "calls"), [(50, 20), (90, 100), (95, 200), (99, 1000)])
def test_calls_that_a_percentile_needs(share, calls):
    assert calls_needed(share) == calls


def test_a_percentile_is_a_value_that_was_measured():
    assert percentile([4, 1, 3, 2], 50) == 2
    assert percentile([4, 1, 3, 2], 51) == 3
    assert percentile([7.0], 99) == 7.0


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=50), st.sampled_from([50, 90, 95, 99]))
def test_as_numpy_reads_it_off_the_empirical_distribution(values, share):
    expected = np.percentile(values, share, method="inverted_cdf")
    assert math.isclose(percentile(values, share), float(expected))
