"""The `dense` kind: exact search over vectors, by matrix product.

Every document is compared; nothing is approximate. Products are taken in 64 bits, so that six
digits of a score are the same whatever the batch.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.candidates.encoders import Encoder, Vectors
from pipeline.candidates.retriever import NOTHING, Mask, Notes, Ranking, Scores, top
from pipeline.candidates.threads import LinearAlgebra

# How many scores are held at once (128 MB), and how many documents are widened at once.
_SCORES_AT_ONCE = 16_000_000
_DOCUMENTS_AT_ONCE = 16_384


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
        with self._algebra.on_one_thread():
            return self._nearest(queries, mask, depth)

    def _nearest(self, queries: Sequence[str], mask: Mask | None, depth: int) -> list[Ranking]:
        admitted = self._indexed if mask is None else self._indexed & mask
        vectors = _scaled(self._encoder.encode(queries), self._similarity).astype(np.float64)
        batch = max(1, _SCORES_AT_ONCE // max(1, len(self._documents)))
        found: list[Ranking] = []
        for start in range(0, len(queries), batch):
            some = vectors[start : start + batch]
            scores = self._products(some)
            found += [
                top(row, admitted, depth) if vector.any() else NOTHING
                for row, vector in zip(scores, some, strict=True)
            ]
        return found

    def _products(self, queries: Scores) -> Scores:
        scores = np.empty((len(queries), len(self._documents)), dtype=np.float64)
        for start in range(0, len(self._documents), _DOCUMENTS_AT_ONCE):
            block = self._documents[start : start + _DOCUMENTS_AT_ONCE].astype(np.float64)
            scores[:, start : start + _DOCUMENTS_AT_ONCE] = queries @ block.T
        return scores


def _scaled(vectors: Vectors, similarity: str) -> Vectors:
    if similarity == "dot":
        return vectors
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    scaled: Vectors = (vectors / lengths[:, None]).astype(vectors.dtype)
    return scaled
