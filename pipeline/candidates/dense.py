"""The `dense` kind: exact search over vectors, by matrix product.

Every document is compared; nothing is approximate. A product in 32 bits on all cores finds which
documents could be listed at all: its rounding error has a proven bound, and whatever comes within
that bound of the list's end is kept. Only those are scored, in 64 bits, each by itself, so that a
score is the same whatever the batch and the number of threads.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from pipeline.candidates.encoders import Encoder, Vectors
from pipeline.candidates.retriever import NOTHING, Mask, Notes, Positions, Ranking, Scores, tops
from pipeline.candidates.screening import Screen, lengths_of
from pipeline.threads import LinearAlgebra, even_parts

# How many vectors are divided at once, and how many scored, which takes 64 bits a number.
_ROWS_AT_ONCE, _SCORED_AT_ONCE = 16_384, 512
# How many queries meet each document while it is at hand.
_QUERIES_AT_ONCE = 256
# How many documents that could be listed are ranked at once; threads gain nothing from less.
_RANKED_AT_ONCE, _LEAST_QUERIES = 32_768, 32


class DenseRetriever:
    """Document vectors in memory, and the encoder that makes a vector of a query.

    Args:
        encoder: fitted on the documents, or holding vectors computed elsewhere.
        similarity: cosine, or dot (vectors as they are).
    """

    def __init__(self, encoder: Encoder, similarity: str) -> None:
        self._encoder = encoder
        self._algebra = LinearAlgebra()
        self._similarity = similarity
        self.reads = encoder.reads
        self._documents = _scaled(encoder.documents, similarity)
        # A zero vector says nothing: such a document would rank before all that point away.
        self._indexed: Mask = np.any(encoder.documents != 0, axis=1)
        self._screen = Screen(self._documents, self._algebra)

    @property
    def contract(self) -> Mapping[str, Any]:
        """Encoder, similarity, search."""
        return {
            **self._encoder.contract,
            "similarity": self._similarity,
            "dimensions": self._documents.shape[1],
            "search": "exact, every eligible document",
        }

    @property
    def notes(self) -> Notes:
        """What became of the documents."""
        return self._encoder.notes

    @property
    def index_digest(self) -> str:
        """Digest of what was indexed."""
        return self._encoder.index_digest

    @property
    def model_digest(self) -> str | None:
        """Digest of the model's weights; None where it is fitted here or lies elsewhere."""
        return self._encoder.model_digest

    def knows(self, query: str) -> bool:
        """Whether there is, or can be made, a vector of this query."""
        return self._encoder.knows(query)

    def search(self, query: str, mask: Mask | None, depth: int) -> Ranking:
        """The nearest documents; none for a query whose vector is zero."""
        return self.search_many([query], mask, depth)[0]

    def search_many(self, queries: Sequence[str], mask: Mask | None, depth: int) -> list[Ranking]:
        """The nearest documents of each query, in batches."""
        vectors = self._vectors(queries)
        seen = self._indexed if mask is None else self._indexed & mask
        found = [NOTHING] * len(queries)
        if not seen.any():
            return found
        admitted = None if seen.all() else seen
        asked = np.flatnonzero(vectors.any(axis=1))
        for start in range(0, len(asked), _QUERIES_AT_ONCE):
            some = asked[start : start + _QUERIES_AT_ONCE]
            lists = self._lists(vectors[some], admitted, depth)
            for row, ranking in zip(some.tolist(), lists, strict=True):
                found[row] = ranking
        return found

    def _lists(self, vectors: Scores, admitted: Mask | None, depth: int) -> list[Ranking]:
        near = self._screen.near(vectors, admitted, depth)
        at_once = max(1, len(vectors) * _RANKED_AT_ONCE // max(1, near.size))
        blocks = even_parts(len(vectors), at_once, least=min(at_once, _LEAST_QUERIES))

        def ranked(number: int) -> list[Ranking]:
            starts, positions = near.of(blocks[number])
            askers = np.repeat(blocks[number], np.diff(starts))
            return tops(starts, positions, self._exact(positions, vectors, askers), depth)

        with self._algebra.on_one_thread():
            return list(chain.from_iterable(self._algebra.on_all_cores(ranked, len(blocks))))

    def _exact(self, positions: Positions, vectors: Scores, askers: Positions) -> Scores:
        """Scores in 64 bits; each is that of two vectors, whatever is scored beside it."""
        scores = np.empty(len(positions))
        for start in range(0, len(positions), _SCORED_AT_ONCE):
            rows = slice(start, start + _SCORED_AT_ONCE)
            documents = self._documents.take(positions[rows], axis=0).astype(np.float64, copy=False)
            scores[rows] = np.vecdot(documents, vectors[askers[rows]])
        return scores

    def _vectors(self, queries: Sequence[str]) -> Scores:
        with self._algebra.on_one_thread():
            encoded = self._encoder.encode(queries)
        return _scaled(encoded, self._similarity).astype(np.float64)


def _scaled(vectors: Vectors, similarity: str) -> Vectors:
    if similarity == "dot":
        return vectors
    lengths = lengths_of(vectors)
    lengths[lengths == 0] = 1.0
    scaled: Vectors = np.empty_like(vectors)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        scaled[rows] = vectors[rows] / lengths[rows, None]
    return scaled
