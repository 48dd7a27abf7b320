"""What every encoder offers to exact search."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pipeline.candidates.retriever import Notes

Vectors = npt.NDArray[np.floating[Any]]


class Encoder(Protocol):
    """Vectors of all documents, in id order, and a vector for every query."""

    reads: str
    documents: Vectors
    notes: Notes
    index_digest: str
    model_digest: str | None

    @property
    def contract(self) -> Mapping[str, Any]:
        """All that decides its vectors, in words and values."""

    def knows(self, query: str) -> bool:
        """Whether it has, or can make, a vector of this query."""

    def encode(self, queries: Sequence[str]) -> Vectors:
        """One row for each query; zeros where nothing of it is known."""
