"""Lists of the dense branch beside those of comparing every document in 64 bits, one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pipeline.candidates.dense
import pipeline.candidates.screening
import pipeline.threads
from pipeline.candidates.dense import DenseRetriever
from pipeline.candidates.retriever import Notes, Ranking
from pipeline.storage import round_significant

Matrix = np.ndarray[Any, Any]


@dataclass
class Held:
    """Vectors at hand, as an encoder; a query is a row's number."""

    documents: Matrix
    asked: Matrix
    reads: str = "text"
    index_digest: str = ""
    model_digest: str | None = None
    contract: Mapping[str, Any] = field(default_factory=dict)
    notes: Notes = field(default_factory=lambda: Notes(0, 0, (), 0, 0))

    def knows(self, query: str) -> bool:
        return True

    def encode(self, queries: Sequence[str]) -> Matrix:
        return self.asked[[int(query) for query in queries]]


def found(documents: Matrix, asked: Matrix, mask: Matrix | None, depth: int) -> list[Ranking]:
    retriever = DenseRetriever(Held(documents, asked), "dot")
    return retriever.search_many([str(row) for row in range(len(asked))], mask, depth)


def one_by_one(documents: Matrix, query: Matrix, mask: Matrix | None, depth: int) -> list[Any]:
    admitted = documents.any(axis=1) if mask is None else documents.any(axis=1) & mask
    scored = [
        (-round_significant(float(np.vecdot(documents[at].astype(float), query.astype(float)))), at)
        for at in np.flatnonzero(admitted).tolist()
    ]
    return [(at, -score + 0.0) for score, at in sorted(scored)[:depth]] if query.any() else []


def near_duplicates(seed: int, spread: float, scale: float) -> Matrix:
    """Copies, almost copies that 32 bits confuse, and zeros, in random order."""
    generator = np.random.default_rng(seed)
    few = generator.normal(size=(8, 12))
    many = few[generator.integers(8, size=150)] + spread * generator.normal(size=(150, 12))
    many[generator.random(150) < 0.1] = 0
    return (many * scale).astype(np.float32)


def in_small_parts(monkeypatch: pytest.MonkeyPatch, cores: int) -> None:
    monkeypatch.setattr(pipeline.threads, "usable_cores", lambda: cores)
    monkeypatch.setattr(pipeline.candidates.screening, "_SCORES_AT_ONCE", 200)
    monkeypatch.setattr(pipeline.candidates.screening, "_TIMES_DEPTH", 1)
    monkeypatch.setattr(pipeline.candidates.dense, "_QUERIES_AT_ONCE", 4)
    monkeypatch.setattr(pipeline.candidates.dense, "_LEAST_QUERIES", 1)
    monkeypatch.setattr(pipeline.candidates.dense, "_RANKED_AT_ONCE", 50)
    monkeypatch.setattr(pipeline.candidates.dense, "_SCORED_AT_ONCE", 7)


@given(
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.0, 1e-8, 1e-6, 1e-4, 1.0]),
    scale=st.sampled_from([1e-20, 1.0, 1e20]),
    depth=st.sampled_from([1, 7, 60, 1000]),
    seen=st.sampled_from([None, 0.0, 0.02, 0.5]),
    cores=st.sampled_from([1, 2, 3]),
)
@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_parts_ties_masks_and_long_lists_change_nothing(
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    spread: float,
    scale: float,
    depth: int,
    seen: float | None,
    cores: int,
) -> None:
    in_small_parts(monkeypatch, cores)
    documents = near_duplicates(seed, spread, scale)
    generator = np.random.default_rng(seed + 1)
    asked = documents[generator.integers(150, size=9)]
    mask = None if seen is None else generator.random(150) < seen
    for query, ranking in zip(asked, found(documents, asked, mask, depth), strict=True):
        expected = one_by_one(documents, query, mask, depth)
        assert list(zip(ranking.positions.tolist(), ranking.scores.tolist(), strict=True)) == (
            expected
        )


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_the_bytes_do_not_depend_on_cores_parts_or_the_queries_beside(
    monkeypatch: pytest.MonkeyPatch, cores: int
) -> None:
    generator = np.random.default_rng(11)
    documents = generator.normal(size=(3000, 40)).astype(np.float32)
    asked = generator.normal(size=(30, 40)).astype(np.float32)
    alone = [found(documents, asked[row : row + 1], None, 20)[0] for row in range(30)]
    in_small_parts(monkeypatch, cores)
    for one, among in zip(alone, found(documents, asked, None, 20), strict=True):
        assert one.positions.tobytes() == among.positions.tobytes()
        assert one.scores.tobytes() == among.scores.tobytes()


def test_documents_that_are_all_alike_are_listed_in_the_order_of_their_ids() -> None:
    documents = np.ones((2000, 3), dtype=np.float32)
    [ranking] = found(documents, documents[:1], None, 50)
    assert ranking.positions.tolist() == list(range(50))


def test_what_differs_by_less_than_six_digits_ties() -> None:
    documents = np.array([[1.0], [1.0000004], [1.00001]], dtype=np.float32)
    [ranking] = found(documents, np.ones((1, 1), dtype=np.float32), None, 3)
    assert ranking.positions.tolist() == [2, 0, 1]
