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
from pipeline.statistics import bootstrap
from pipeline.statistics.bootstrap import resample, resample_all
from pipeline.statistics.groups import Grouped

VALUES = st.lists(
    st.tuples(st.floats(-1, 1, width=32), st.integers(0, 7)), min_size=3, max_size=40
).filter(lambda pairs: len({group for _, group in pairs}) > 1)


def grouped(pairs: list[tuple[float, int]], weights: list[float] | None = None) -> Grouped:
    values, groups = zip(*pairs, strict=True)
    given = None if weights is None else np.array(weights)
    return Grouped.of(np.array(values, dtype=np.float64), np.array(groups), given)


def by_loop(data: Grouped, resamples: int, seed: int) -> list[tuple[float, float]]:
    """Shift of the mean and its cluster-robust error, one resample and group at a time."""
    generator, found = np.random.default_rng(seed), []
    residuals, sizes = data.residuals.tolist(), data.sizes.tolist()
    for _ in range(resamples):
        drawn = generator.integers(0, data.groups, data.groups, dtype=np.int32).tolist()
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


def test_how_many_are_held_at_once_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = Grouped.of(np.random.default_rng(5).normal(size=99), np.arange(99) // 3)
    whole = resample(data, 300, np.random.default_rng(9))
    monkeypatch.setattr(bootstrap, "DRAWS", 100)
    parts = resample(data, 300, np.random.default_rng(9))
    assert whole.shifts.tobytes() == parts.shifts.tobytes()
    assert whole.errors.tobytes() == parts.errors.tobytes()


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=50))
def test_what_is_summed_has_no_rounding_in_it(values: list[float]) -> None:
    given = np.array(values)
    pieces = list(bootstrap._whole(given, 2))
    for whole, unit in pieces:
        assert (whole == np.rint(whole)).all()
        assert np.abs(whole).max() * len(values) <= 2**52
        assert math.frexp(unit)[0] == 0.5
    for place, value in enumerate(values):
        kept = sum(Fraction(float(whole[place])) * Fraction(unit) for whole, unit in pieces)
        assert abs(kept - Fraction(value)) <= Fraction(pieces[-1][1])


def test_items_of_different_groups_are_refused() -> None:
    two, three = (Grouped.of(np.arange(n) * 1.0, np.arange(n)) for n in (2, 3))
    with pytest.raises(ContractError, match="different query groups"):
        resample_all([two, three], 10, np.random.default_rng(0))


SCRIPT = """
import hashlib, sys
import numpy as np
from threadpoolctl import threadpool_limits
from pipeline.statistics.bootstrap import resample_all
from pipeline.statistics.groups import Grouped
random = np.random.default_rng(5)
groups = np.arange(900) // 3
items = [Grouped.of(random.normal(size=900), groups) for _ in range(8)]
for threads in (1, 2):
    with threadpool_limits(threads):
        found = resample_all(items, 3000, np.random.default_rng(9))
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
