"""Comparisons of any differences: a slow twin, scipy, and laws that always hold."""

import itertools
import math
import subprocess
import sys

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline.errors import ContractError
from pipeline.statistics import Comparison, Grouped, compare_all, compare_differences
from pipeline.statistics.comparison import narrowest_bounds
from pipeline.statistics.drawing import draw_counts
from pipeline.statistics.resampling import resample

steps = st.integers(-10, 10).map(lambda tenth: tenth / 10)
grouped = st.lists(st.tuples(steps, st.integers(0, 5)), min_size=3, max_size=30)


def compare(
    differences: list[float], groups: list[int], *, seed: int = 0, resamples: int = 400
) -> Comparison:
    return compare_differences(
        np.array(differences),
        np.array(groups),
        alpha=0.05,
        resamples=resamples,
        generator=np.random.default_rng(seed),
    )


def slow_error(differences: list[float], groups: list[int]) -> float:
    """The formula of the cluster-robust error, in plain Python."""
    count, names = len(differences), sorted(set(groups))
    mean = sum(differences) / count
    squares = sum(
        sum(d - mean for d, g in zip(differences, groups, strict=True) if g == name) ** 2
        for name in names
    )
    return math.sqrt(len(names) / (len(names) - 1) * squares) / count


@settings(max_examples=80, deadline=None)
@given(pairs=grouped)
def test_the_error_equals_its_slow_twin(pairs: list[tuple[float, int]]) -> None:
    differences, groups = [d for d, _ in pairs], [g for _, g in pairs]
    assume(len(set(groups)) > 1)
    assert compare(differences, groups, resamples=1).standard_error == pytest.approx(
        slow_error(differences, groups), abs=1e-12
    )


@settings(max_examples=60, deadline=None)
@given(pairs=grouped)
def test_bounds_enclose_the_difference_and_every_query_is_counted_once(
    pairs: list[tuple[float, int]],
) -> None:
    result = compare([d for d, _ in pairs], [g for _, g in pairs])
    assert result.wins + result.losses + result.ties == result.queries == len(pairs)
    if result.degenerate:
        return
    assert result.low is not None
    assert result.delta is not None
    assert result.high is not None
    assert result.t_low is not None
    assert result.low <= result.t_low <= result.delta <= result.high
    assert result.leave_one_out is not None
    assert result.leave_one_out[0] <= result.delta + 1e-9
    assert result.leave_one_out[1] >= result.delta - 1e-9


@settings(max_examples=60, deadline=None)
@given(pairs=grouped)
def test_swapping_system_and_baseline_mirrors_everything(pairs: list[tuple[float, int]]) -> None:
    differences, groups = [d for d, _ in pairs], [g for _, g in pairs]
    there, back = compare(differences, groups), compare([-d for d in differences], groups)
    assert (there.wins, there.losses) == (back.losses, back.wins)
    for method in ("", "t_", "boot_", "percentile_"):
        found, mirrored = getattr(there, f"{method}low"), getattr(back, f"{method}high")
        assert (found is None) == (mirrored is None)
        assert found is None or found == pytest.approx(-mirrored, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(pairs=grouped, shift=st.integers(1, 5))
def test_a_better_system_never_has_a_lower_bound(
    pairs: list[tuple[float, int]], shift: int
) -> None:
    differences, groups = [d for d, _ in pairs], [g for _, g in pairs]
    before = compare(differences, groups)
    after = compare([d + shift / 10 for d in differences], groups)
    if before.low is not None and after.low is not None and not before.degenerate:
        assert after.low >= before.low - 1e-9


def test_independent_queries_give_scipys_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    ours, theirs = rng.random(50), rng.random(50)
    result = compare(list(ours - theirs), list(range(50)), resamples=1)
    reference = scipy.stats.ttest_rel(ours, theirs)
    interval = reference.confidence_interval(0.90)
    assert result.p == pytest.approx(reference.pvalue)
    assert (result.t_low, result.t_high) == pytest.approx((interval.low, interval.high))


@pytest.mark.parametrize("method", ["percentile", "bca"])
@pytest.mark.parametrize("count", [10, 40])
def test_percentile_and_bca_agree_with_scipys_bootstrap(method: str, count: int) -> None:
    data = np.random.default_rng(2).exponential(size=count) ** 2
    ours = compare(list(data), list(range(count)), resamples=50_000)
    theirs = scipy.stats.bootstrap(
        (data,),
        np.mean,
        n_resamples=50_000,
        confidence_level=0.90,
        method=method,
        rng=np.random.default_rng(3),
    ).confidence_interval
    found = getattr(ours, f"{method}_low"), getattr(ours, f"{method}_high")
    width = theirs.high - theirs.low
    assert found == pytest.approx((theirs.low, theirs.high), abs=0.015 * width)


def test_resampling_groups_agrees_with_all_samples_there_are() -> None:
    sums, sizes = [1.6, -0.1, -0.1, -0.1], [4, 1, 1, 1]
    exact = [
        sum(sums[g] for g in drawn) / sum(sizes[g] for g in drawn)
        for drawn in itertools.product(range(4), repeat=4)
    ]
    data = Grouped.of(np.array([0.4] * 4 + [-0.1] * 3), np.array([0, 0, 0, 0, 1, 2, 3]))
    drawn = data.mean + resample(data, 20_000, np.random.default_rng(0)).shifts
    assert np.mean(np.array(exact) <= 0) == (3 / 4) ** 4
    for mean in sorted(set(exact)):
        share = np.mean(np.isclose(exact, mean))
        assert np.mean(np.isclose(drawn, mean)) == pytest.approx(share, abs=0.02)


def slow_bootstrap_t(
    differences: list[float], groups: list[int], resamples: int, seed: int
) -> tuple[float, float]:
    """Bootstrap-t one sample at a time, from the queries of the groups drawn."""
    names = sorted(set(groups))
    counts = draw_counts(len(names), resamples, np.random.default_rng(seed).spawn(1)[0])
    members = {n: [d for d, g in zip(differences, groups, strict=True) if g == n] for n in names}
    mean, error = sum(differences) / len(differences), slow_error(differences, groups)
    scores = []
    for row in counts:
        drawn = [
            members[name] for name, times in zip(names, row, strict=True) for _ in range(times)
        ]
        flat = [d for group in drawn for d in group]
        labels = [place for place, group in enumerate(drawn) for _ in group]
        scores.append((sum(flat) / len(flat) - mean) / slow_error(flat, labels))
    low, high = (
        np.quantile(scores, 0.05, method="lower"),
        np.quantile(scores, 0.95, method="higher"),
    )
    return mean - high * error, mean - low * error


def test_bootstrap_t_equals_its_slow_twin_draw_for_draw() -> None:
    rng = np.random.default_rng(4)
    differences, groups = list(rng.exponential(size=60) - 0.8), [i // 3 for i in range(60)]
    fast = compare(differences, groups, seed=9, resamples=300)
    assert (fast.boot_low, fast.boot_high) == pytest.approx(
        slow_bootstrap_t(differences, groups, 300, 9)
    )


def test_lower_bounds_of_skewed_grouped_differences_miss_about_as_rarely_as_they_say() -> None:
    # 40 groups of 1 to 4 queries that share an exponential gain; the true mean gain is 0.
    rng, misses, studies = np.random.default_rng(5), {"low": 0, "high": 0}, 300
    for _ in range(studies):
        groups = np.repeat(np.arange(40), rng.integers(1, 5, 40))
        gains = 1.0 - rng.exponential(size=40)
        values = gains[groups] + rng.normal(scale=0.3, size=len(groups))
        result = compare(list(values), list(groups), resamples=300)
        assert result.low is not None
        assert result.high is not None
        misses["low"] += result.low > 0.0
        misses["high"] += result.high < 0.0
    assert misses["low"] / studies < 0.08
    assert misses["high"] / studies < 0.08


def test_gaps_in_group_numbers_are_no_groups() -> None:
    assert compare([0.1, 0.3], [4, 9]).groups == 2


def test_values_and_weights_that_cannot_be_averaged_are_refused() -> None:
    groups = np.array([0, 1])
    with pytest.raises(ContractError, match="positive weights"):
        Grouped.of(np.array([0.1, 0.2]), groups, np.array([1.0, 0.0]))
    with pytest.raises(ContractError, match="finite values"):
        Grouped.of(np.array([0.1, np.nan]), groups)


def test_the_module_starts_without_scipy_stats() -> None:
    code = "import sys, pipeline.statistics; print('scipy.stats' in sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == "False"


SCRIPT = """
import numpy as np
from pipeline.statistics import compare_differences, named_generator
rng = np.random.default_rng(0)
print(repr(compare_differences(rng.normal(size=500), np.arange(500) // 4, alpha=0.05,
    resamples=3000, generator=named_generator(7, "a", "b"))))
"""


def test_the_same_bytes_with_one_thread_and_two_and_any_hash_seed() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={
                "PYTHONHASHSEED": seed,
                "OMP_NUM_THREADS": threads,
                "OPENBLAS_NUM_THREADS": threads,
            },
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, threads in (("1", "1"), ("2", "2"))
    }
    assert len(printed) == 1
    assert "Comparison(" in printed.pop()


@settings(max_examples=80, deadline=None)
@given(pairs=grouped)
def test_bootstrap_only_widens_the_gates_bounds(pairs: list[tuple[float, int]]) -> None:
    differences, groups = [d for d, _ in pairs], [g for _, g in pairs]
    result = compare(differences, groups)
    low, high = narrowest_bounds(Grouped.of(np.array(differences), np.array(groups)), 0.05)
    if result.low is None or result.high is None:
        assert (low, high) == (None, None)
    else:
        assert low is not None
        assert high is not None
        assert result.low <= low <= high <= result.high


@given(
    st.lists(st.lists(steps, min_size=12, max_size=12), min_size=1, max_size=4),
    st.lists(st.integers(0, 4), min_size=12, max_size=12),
    st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_compared_beside_others_each_comparison_is_what_it_is_alone(
    columns: list[list[float]], groups: list[int], weighted: bool
) -> None:
    weights = np.linspace(0.5, 2.0, 12) if weighted else None
    numbers, arrays = np.array(groups), [np.array(column) for column in columns]

    def generator() -> np.random.Generator:
        return np.random.default_rng(3)

    together = compare_all(
        arrays, numbers, alpha=0.05, resamples=60, generator=generator(), weights=weights
    )
    assert together == [
        compare_differences(
            one, numbers, alpha=0.05, resamples=60, generator=generator(), weights=weights
        )
        for one in arrays
    ]
