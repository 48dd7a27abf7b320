"""How often each group is drawn: whole draws with replacement, made without drawing each."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.statistics.drawing import ROOM, STEPS, _poisson, _table, draw_counts


@given(st.integers(1, 400), st.integers(0, 5), st.integers(0, 99))
def test_each_row_draws_as_many_as_there_are_groups(groups: int, rows: int, seed: int) -> None:
    counts = draw_counts(groups, rows, np.random.default_rng(seed))
    assert counts.shape == (rows, groups)
    assert (counts.sum(axis=1) == groups).all()


def test_the_seed_alone_decides() -> None:
    one, again, other = (draw_counts(90, 40, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert one.tobytes() != other.tobytes()


def test_three_groups_are_drawn_as_often_as_multinomial_chances_say() -> None:
    # 27 equally likely rows of three draws; by hand 1/27 for (3, 0, 0), 6/27 for (1, 1, 1).
    wanted: dict[tuple[int, ...], int] = {}
    for drawn in product(range(3), repeat=3):
        key = tuple(drawn.count(group) for group in range(3))
        wanted[key] = wanted.get(key, 0) + 1
    assert wanted[3, 0, 0] == 1
    assert wanted[1, 1, 1] == 6
    rows = draw_counts(3, 27_000, np.random.default_rng(4)).tolist()
    found = [sum(tuple(row) == key for row in rows) for key in wanted]
    assert stats.chisquare(found, [1000 * times for times in wanted.values()]).pvalue > 0.001


@pytest.mark.parametrize("groups", [17, 79, 300, 1000])
def test_counts_have_the_moments_of_multinomial_ones(groups: int) -> None:
    # scipy.stats.multinomial(G, 1/G): mean 1, variance 1 − 1/G, covariance −1/G of two groups.
    counts = draw_counts(groups, 600_000 // groups, np.random.default_rng(8)).astype(np.float64)
    size, law = counts.size, stats.binom(groups, 1 / groups)
    found = np.bincount(counts.astype(np.int64).ravel(), minlength=6)
    for times in range(5):
        chance = law.pmf(times)
        # Counts of one row hold each other down, so this allows for more than there is.
        assert abs(found[times] - size * chance) < 4.5 * math.sqrt(size * chance)
    first, second = counts[:, 0] - 1.0, counts[:, 1] - 1.0
    # The product's own deviation is about 1 for Poisson counts, so this is 4.5 of the mean's.
    assert abs((first * second).mean() + 1 / groups) < 4.5 / math.sqrt(len(counts))
    halves = counts[:, : groups // 2].sum(axis=1)
    share = (groups // 2) / groups
    assert halves.var() == pytest.approx(groups * share * (1 - share), rel=0.25)


def test_a_row_that_got_too_many_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # With a mean of 1 half of the rows get too many at first.
    monkeypatch.setattr("pipeline.statistics.drawing.ROOM", 1e-9)
    counts = draw_counts(30, 20_000, np.random.default_rng(2))
    assert (counts.sum(axis=1) == 30).all()
    law = stats.binom(30, 1 / 30)
    found = np.bincount(counts.ravel(), minlength=8)
    for times in range(5):
        chance = law.pmf(times)
        assert abs(found[times] - counts.size * chance) < 4.5 * math.sqrt(counts.size * chance)


@pytest.mark.parametrize("mean", [1 - ROOM / math.sqrt(17), 0.5, 1 - ROOM / math.sqrt(1000)])
def test_the_table_holds_poissons_chances(mean: float) -> None:
    limits, rest = _table(mean)
    steps = np.diff([0, *(int(limit) for limit in limits)])
    left = STEPS - int(limits[-1])
    assert 0 < left < 16
    falls = np.diff([0.0, *rest])
    for value, fall in enumerate(falls):
        own = float(steps[value]) if value < len(steps) else 0.0
        chance = (own + left * float(fall)) / STEPS
        assert chance == pytest.approx(stats.poisson(mean).pmf(value), rel=1e-9, abs=1e-15)


def test_poisson_counts_fall_as_their_law_says() -> None:
    counts = _poisson(0.87, 1_000_001, np.random.default_rng(6))
    assert len(counts) == 1_000_001
    found = np.bincount(counts, minlength=9)
    wanted = stats.poisson(0.87).pmf(np.arange(7)) * len(counts)
    together = [*found[:7], found[7:].sum()], [*wanted, len(counts) - wanted.sum()]
    assert stats.chisquare(*together).pvalue > 0.001
