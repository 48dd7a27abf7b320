"""The quick product never loses a document that belongs on the list."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.candidates.retriever import best, highest, leading, top
from pipeline.candidates.screening import Screen
from pipeline.threads import LinearAlgebra

Matrix = np.ndarray[Any, Any]


def clustered(seed: int, documents: int, width: int, spread: float, scale: float) -> Matrix:
    """Vectors so close to each other that 32 bits confuse them."""
    generator = np.random.default_rng(seed)
    made = generator.normal(size=width) + spread * generator.normal(size=(documents, width))
    return (made * scale).astype(np.float32)


@given(
    st.integers(0, 1000),
    st.sampled_from([0.0, 1e-7, 1e-5, 1e-2, 1.0]),
    st.sampled_from([1e-30, 1e-12, 1.0, 1e12, 1e30]),
    st.sampled_from([1, 3, 40]),
    st.booleans(),
)
@settings(deadline=None, max_examples=60)
def test_the_list_is_that_of_comparing_all_in_64_bits(
    seed: int, spread: float, scale: float, depth: int, masked: bool
) -> None:
    documents = clustered(seed, 500, 16, spread, scale)
    generator = np.random.default_rng(seed + 1)
    queries = documents[:3].astype(np.float64) + generator.normal(size=(3, 16)) * spread
    admitted = generator.random(500) < 0.5 if masked else None
    allowed = np.arange(500) if admitted is None else np.flatnonzero(admitted)
    near = Screen(documents, LinearAlgebra()).near(queries, admitted, depth)
    for row, query in enumerate(queries):
        _, positions = near.of(range(row, row + 1))
        exact = documents.astype(np.float64) @ query
        expected, found = (
            top(allowed, exact[allowed], depth),
            top(positions, exact[positions], depth),
        )
        assert found.positions.tolist() == expected.positions.tolist()
        assert found.scores.tolist() == expected.scores.tolist()


def test_few_documents_are_left_to_be_compared_exactly() -> None:
    documents = np.random.default_rng(7).normal(size=(20_000, 32)).astype(np.float32)
    near = Screen(documents, LinearAlgebra()).near(documents[:2].astype(np.float64), None, 10)
    starts, positions = near.of(range(2))
    assert starts[-1] == len(positions) < 100


@given(st.integers(0, 1000), st.sampled_from([1, 5, 100, 700]))
@settings(deadline=None)
def test_the_least_that_leads_is_reached_by_as_many_as_are_wanted(seed: int, depth: int) -> None:
    scores = np.random.default_rng(seed).integers(0, 50, size=(2, 3000)).astype(np.float64)
    leads = leading(scores, depth)
    assert leads.shape == (2, depth)
    assert ((scores >= leads.min(axis=1, keepdims=True)).sum(axis=1) >= depth).all()


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 40))
def test_the_highest_are_those_of_sorting(values: list[int], depth: int) -> None:
    found = highest(np.array(values), depth)
    assert sorted(found.tolist()) == sorted(values)[-depth:]


@given(st.integers(0, 1000), st.sampled_from([1, 5, 100, 5000]))
@settings(deadline=None)
def test_the_best_above_a_bound_are_those_of_sorting_all(seed: int, depth: int) -> None:
    generator = np.random.default_rng(seed)
    scores = np.where(generator.random(3000) < 0.5, 0.0, generator.integers(1, 9, 3000) / 7)
    ranking = best(scores, depth, above=0.0)
    order = sorted(np.flatnonzero(scores > 0).tolist(), key=lambda i: (-scores[i], i))[:depth]
    assert ranking.positions.tolist() == order
    assert ranking.scores.tolist() == pytest.approx(scores[order].tolist(), rel=1e-5)
