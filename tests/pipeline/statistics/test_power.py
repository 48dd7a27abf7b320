"""What a study can see: the smallest detectable effect and the groups that would do."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.statistics import compare_differences, groups_needed, smallest_detectable
from pipeline.statistics.power import detectable_in_errors

ALPHA = 0.05


@pytest.mark.parametrize("groups", [2, 5, 30, 100, 5000])
@pytest.mark.parametrize("alpha", [0.05, 0.0076, 0.0015])
def test_the_effect_is_seen_with_80_percent_power_by_scipys_noncentral_t(
    groups: int, alpha: float
) -> None:
    threshold = scipy.stats.t.ppf(1 - alpha, groups - 1)
    effect = detectable_in_errors(groups, alpha)
    assert scipy.stats.nct.sf(threshold, groups - 1, effect) == pytest.approx(0.8, abs=1e-4)


def test_many_groups_need_the_textbooks_two_and_a_half_errors() -> None:
    # z(.95) + z(.80) = 1.6449 + .8416
    assert smallest_detectable(0.02, 100_000, ALPHA) == pytest.approx(0.02 * 2.4865, rel=1e-4)


def test_a_true_gain_of_that_much_is_seen_in_about_80_of_100_studies() -> None:
    rng, groups = np.random.default_rng(0), 40
    gain = detectable_in_errors(groups, ALPHA) / np.sqrt(groups)
    seen = 0
    for _ in range(500):
        data = rng.normal(loc=gain, size=groups)
        result = compare_differences(
            data, np.arange(groups), alpha=ALPHA, resamples=1, generator=rng
        )
        assert result.t_low is not None
        seen += result.t_low > 0.0
    assert 0.75 < seen / 500 < 0.85


@settings(max_examples=60)
@given(effect=st.floats(0.01, 1.0), error=st.floats(0.005, 0.2), groups=st.integers(5, 200))
def test_the_groups_needed_are_the_fewest_that_do(effect: float, error: float, groups: int) -> None:
    needed = groups_needed(effect, error, groups, ALPHA)
    assert needed is not None
    spread = error * np.sqrt(groups)

    def seen(count: int) -> bool:
        return bool(effect >= detectable_in_errors(count, ALPHA) * spread / np.sqrt(count))

    assert seen(needed)
    assert needed == 2 or not seen(needed - 1)


def test_no_number_of_groups_shows_a_gain_that_is_not_there() -> None:
    assert groups_needed(0.0, 0.1, 30, ALPHA) is None
    assert groups_needed(-0.1, 0.1, 30, ALPHA) is None
    assert groups_needed(1e-6, 0.5, 30, ALPHA) is None  # more than 10 million


def test_without_an_error_nothing_is_known() -> None:
    assert smallest_detectable(0.0, 30, ALPHA) is None
    assert smallest_detectable(0.1, 1, ALPHA) is None
    assert groups_needed(0.1, 0.0, 30, ALPHA) is None


def test_a_comparison_tells_the_groups_needed_at_both_ends_of_its_interval() -> None:
    data = np.random.default_rng(1).normal(loc=0.15, scale=0.3, size=40)
    result = compare_differences(
        data, np.arange(40), alpha=ALPHA, resamples=500, generator=np.random.default_rng(2)
    )
    at_low, at_delta, at_high = result.groups_needed(margin=0.0)
    assert result.low is not None
    assert at_delta is not None
    assert at_high is not None
    assert (at_low is None) == (result.low <= 0.0)
    assert at_high < at_delta
    assert result.groups_needed(margin=1.0) == (None, None, None)
