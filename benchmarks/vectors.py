"""The dense branch beside the bare product, and where its time goes."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from benchmarks.measuring import Pairs, alternate, seconds
from pipeline.candidates.dense import DenseRetriever
from pipeline.candidates.retriever import Notes, Ranking
from pipeline.candidates.screening import Screen
from pipeline.threads import LinearAlgebra

Matrix = np.ndarray[Any, Any]

WIDTH = 256


class _Held:
    """Vectors at hand, as an encoder; a query is a row's number."""

    reads, index_digest, model_digest = "text", "", None

    def __init__(self, documents: Matrix, asked: Matrix) -> None:
        self.documents, self._asked = documents, asked
        self.contract: Mapping[str, Any] = {}
        self.notes = Notes(len(documents), 0, (), 0, 0)

    def knows(self, query: str) -> bool:
        return True

    def encode(self, asked: Sequence[str]) -> Matrix:
        return self._asked[[int(number) for number in asked]]


def compare(count: int, asked: int, depth: int, pairs: int) -> Pairs:
    """Both sides' seconds; beforehand, in print, where ours go and what the least possible is.

    Least: the product into memory at hand, on all cores, and one look at each score, on one.
    """
    generator = np.random.default_rng(7)
    documents, vectors = (
        _of_length_one(generator.normal(size=(rows, WIDTH)).astype(np.float32))
        for rows in (count, asked)
    )
    retriever = DenseRetriever(_Held(documents, vectors), "dot")
    numbers = [str(number) for number in range(asked)]

    def ours() -> list[Ranking]:
        return retriever.search_many(numbers, None, depth)

    def theirs() -> Matrix:
        return vectors @ documents.T

    scores = theirs()
    for ranking, row in zip(ours(), scores, strict=True):
        np.testing.assert_allclose(ranking.scores, np.sort(row)[: -depth - 1 : -1], atol=1e-5)
    screen, wide = Screen(documents, LinearAlgebra()), vectors.astype(np.float64)
    where: dict[str, Callable[[], object]] = {
        "dense branch": ours,
        "  until what could be listed": lambda: screen.near(wide, None, depth),
        "least: the product": lambda: np.matmul(vectors, documents.T, out=scores),
        "least: reading its scores": lambda: scores.max(axis=1),
    }
    print(f"{count} vectors")
    for part, work in where.items():
        print(f"{part:<28} median {_middle(work, max(1, pairs // 3)):9.4f} s")
    return alternate(ours, theirs, pairs)


def _of_length_one(vectors: Matrix) -> Matrix:
    scaled: Matrix = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return scaled


def _middle(work: Callable[[], object], repeats: int) -> float:
    work()
    return statistics.median(seconds(work) for _ in range(repeats))
