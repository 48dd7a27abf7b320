"""Resampling as one product: draw for draw what a loop gives, for all systems, to the last bit."""

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import ContractError
from pipeline.statistics.drawing import draw_counts
from pipeline.statistics.groups import Grouped
from pipeline.statistics.resampling import BLOCK, _whole, resample, resample_all

VALUES = st.lists(
    st.tuples(st.floats(-1, 1, width=32), st.integers(0, 7)), min_size=3, max_size=40
).filter(lambda pairs: len({group for _, group in pairs}) > 1)


def grouped(pairs: list[tuple[float, int]], weights: list[float] | None = None) -> Grouped:
    values, groups = zip(*pairs, strict=True)
    given = None if weights is None else np.array(weights)
    return Grouped.of(np.array(values, dtype=np.float64), np.array(groups), given)


def by_loop(data: Grouped, resamples: int, seed: int) -> list[tuple[float, float]]:
    """Shift of the mean and its cluster-robust error, one resample and group at a time."""
    found = []
    residuals, sizes = data.residuals.tolist(), data.sizes.tolist()
    for counts in draw_counts(data.groups, resamples, np.random.default_rng(seed).spawn(1)[0]):
        drawn = np.repeat(np.arange(data.groups), counts).tolist()
        weight = math.fsum(sizes[g] for g in drawn)
        shift = math.fsum(residuals[g] for g in drawn) / weight
        spread = math.fsum((residuals[g] - shift * sizes[g]) ** 2 for g in drawn)
        found.append((shift, math.sqrt(spread * data.groups / (data.groups - 1)) / weight))
    return found


@given(VALUES, st.booleans())
@settings(deadline=None, max_examples=50)
def test_every_resample_is_that_of_a_loop(pairs: list[tuple[float, int]], weighted: bool) -> None:
    weights = [0.5 + (i % 3) for i in range(len(pairs))] if weighted else None
    data = grouped(pairs, weights)
    drawn = resample(data, 50, np.random.default_rng(3))
    expected = by_loop(data, 50, 3)
    assert drawn.shifts.tolist() == pytest.approx([shift for shift, _ in expected], abs=1e-12)
    assert drawn.errors.tolist() == pytest.approx([error for _, error in expected], abs=2e-6)


def test_many_systems_share_the_draws_that_each_would_have_alone() -> None:
    random = np.random.default_rng(5)
    groups = np.arange(30) // 2
    items = [Grouped.of(random.normal(size=30), groups) for _ in range(4)]
    together = resample_all(items, 200, np.random.default_rng(9))
    for item, drawn in zip(items, together, strict=True):
        alone = resample(item, 200, np.random.default_rng(9))
        assert drawn.shifts.tobytes() == alone.shifts.tobytes()
        assert drawn.errors.tobytes() == alone.errors.tobytes()


@given(st.integers(1, 4), st.integers(2, 6), st.booleans())
@settings(deadline=None, max_examples=30)
def test_uneven_groups_and_weights_share_their_draws_too(
    systems: int, groups: int, weighted: bool
) -> None:
    random = np.random.default_rng(systems + 10 * groups)
    numbers = np.arange(2 * groups + 1) % groups
    weights = random.uniform(0.5, 2.0, len(numbers)) if weighted else None
    items = [Grouped.of(random.normal(size=len(numbers)), numbers, weights) for _ in range(systems)]
    together = resample_all(items, 40, np.random.default_rng(9))
    for item, drawn in zip(items, together, strict=True):
        alone = resample(item, 40, np.random.default_rng(9))
        assert drawn.shifts.tobytes() == alone.shifts.tobytes()
        assert drawn.errors.tobytes() == alone.errors.tobytes()


def test_every_block_has_draws_of_its_own() -> None:
    groups = 2000
    rows = BLOCK // groups
    data = Grouped.of(np.random.default_rng(5).normal(size=groups), np.arange(groups))
    drawn = resample(data, 3 * rows + 1, np.random.default_rng(9))
    assert len(set(drawn.shifts.tolist())) == 3 * rows + 1
    # Blocks are numbered, so a shorter plan of whole blocks is the beginning of a longer one.
    short = resample(data, 2 * rows, np.random.default_rng(9))
    assert short.shifts.tolist() == drawn.shifts[: 2 * rows].tolist()


# Differences below 1e-12 count as 0 (`Grouped.of`), so what is summed is never near 1e-300.
@given(
    st.lists(
        st.floats(-1e3, 1e3).map(lambda value: value if abs(value) > 1e-100 else 0.0),
        min_size=2,
        max_size=50,
    )
)
def test_what_is_summed_has_no_rounding_in_it(values: list[float]) -> None:
    given = np.array(values)
    pieces = list(_whole(given, 2))
    for whole, unit in pieces:
        assert (whole == np.rint(whole)).all()
        assert np.abs(whole).max() * len(values) <= 2**52
        assert math.frexp(unit)[0] == 0.5
    for place, value in enumerate(values):
        kept = sum(Fraction(float(whole[place])) * Fraction(unit) for whole, unit in pieces)
        assert abs(kept - Fraction(value)) <= Fraction(pieces[-1][1])


def test_items_of_different_weights_are_refused() -> None:
    groups, weights = np.arange(2), np.array([1.0, 2.0])
    items = [Grouped.of(np.array([0.1, 0.2]), groups, given) for given in (None, weights)]
    with pytest.raises(ContractError, match="different query groups"):
        resample_all(items, 10, np.random.default_rng(0))


def test_items_of_different_groups_are_refused() -> None:
    two, three = (Grouped.of(np.arange(n) * 1.0, np.arange(n)) for n in (2, 3))
    with pytest.raises(ContractError, match="different query groups"):
        resample_all([two, three], 10, np.random.default_rng(0))


SCRIPT = """
import hashlib, sys
import numpy as np
from threadpoolctl import threadpool_limits
from pipeline.statistics.resampling import resample_all
from pipeline.statistics.groups import Grouped
random = np.random.default_rng(5)
groups = np.arange(900) // 3
items = [Grouped.of(random.normal(size=900), groups) for _ in range(8)]
for threads in (1, 2):
    with threadpool_limits(threads):
        found = resample_all(items, 3000, np.random.default_rng(9), threads=threads)
    parts = b"".join(one.shifts.tobytes() + one.errors.tobytes() for one in found)
    print(hashlib.sha256(parts).hexdigest())
"""


def test_threads_and_kind_of_processor_change_no_bit() -> None:
    # OpenBLAS has other kernels, with other orders of summation, for other processors.
    said: set[str] = set()
    for core in ("", "Haswell", "Sandybridge"):
        environment = {"OPENBLAS_CORETYPE": core} if core else {}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=True,
        )
        said.update(done.stdout.split())
    assert len(said) == 1
