"""The `precomputed` encoder: vectors that were made elsewhere, of documents and of queries."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from pipeline.candidates.encoders.encoder import Vectors as Matrix
from pipeline.candidates.retriever import Notes
from pipeline.errors import InputError, first_three
from pipeline.recorded import Vectors


class PrecomputedEncoder:
    """Holds the vectors of both sides; a query is asked by its id.

    Args:
        doc_ids: the documents, in id order.
        vectors: of documents and of queries.
        where: name of the vectors, for messages.

    Raises:
        InputError: a vector of an unknown document, vectors of different lengths, a vector that
            holds NaN or infinity.
    """

    reads = "query_id"

    def __init__(self, doc_ids: Sequence[str], vectors: Vectors, *, where: str) -> None:
        self._where = where
        width = _width(vectors, where)
        held = _rows(vectors.documents, width, f"vectors {where}.documents")
        _refuse_strangers(held, doc_ids, where)
        self._queries = _rows(vectors.queries, width, f"vectors {where}.queries")
        self.documents: Matrix = np.zeros((len(doc_ids), width), dtype=np.float32)
        for row, doc_id in enumerate(doc_ids):
            if doc_id in held:
                self.documents[row] = held[doc_id]
        zero = np.flatnonzero(~self.documents.any(axis=1))
        self.model_digest: str | None = None
        self.index_digest = hashlib.sha256(self.documents.astype("<f4").tobytes()).hexdigest()
        self.notes = Notes(
            documents=len(doc_ids),
            absent=sum(doc_id not in held for doc_id in doc_ids),
            without_terms=tuple(zero.tolist()),
            tokens=0,
            longest=0,
        )

    @property
    def contract(self) -> Mapping[str, Any]:
        """Which vectors, and which the queries' are."""
        queries = hashlib.sha256()
        for query_id in sorted(self._queries):
            queries.update(query_id.encode() + b"\n" + self._queries[query_id].tobytes())
        return {
            "encoder": "precomputed",
            "vectors": self._where,
            "query_vectors_digest": queries.hexdigest(),
        }

    def knows(self, query: str) -> bool:
        """Whether the file holds this query's vector."""
        return query in self._queries

    def encode(self, queries: Sequence[str]) -> Matrix:
        """The queries' vectors, by query id."""
        return np.array([self._queries[query] for query in queries], dtype=np.float32)


def _width(vectors: Vectors, where: str) -> int:
    both = pl.concat([vectors.documents["vector"], vectors.queries["vector"]])
    widths = both.list.len().unique().sort().to_list()
    if len(widths) != 1 or widths[0] == 0:
        raise InputError(
            "vectors of different lengths",
            where=f"vectors {where}",
            found=first_three(widths) or "no vectors",
            expected="one length, the same for documents and queries",
        )
    return int(widths[0])


def _rows(frame: pl.DataFrame, width: int, where: str) -> dict[str, np.ndarray[Any, Any]]:
    matrix = frame["vector"].explode().to_numpy().astype(np.float32).reshape(-1, width)
    broken = ~np.isfinite(matrix).all(axis=1)
    if broken.any():
        raise InputError(
            "vectors that hold NaN or infinity",
            where=where,
            found=first_three(frame["id"].filter(pl.Series(broken)).to_list()),
            expected="finite numbers",
        )
    return dict(zip(frame["id"].to_list(), matrix, strict=True))


def _refuse_strangers(held: Mapping[str, object], doc_ids: Sequence[str], where: str) -> None:
    strangers = sorted(set(held) - set(doc_ids))
    if strangers:
        raise InputError(
            "vectors of documents that are not in the collection",
            where=f"vectors {where}.documents",
            found=first_three(strangers),
            expected="ids of documents.jsonl",
        )
