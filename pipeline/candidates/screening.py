"""Which documents can be among the nearest: a quick product with a proven error.

A dot product of n numbers in floating point differs from the exact one by at most
`γ |x| |y|`, `γ = n u / (1 - n u)`, in whatever order and on however many threads it is summed
(Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3); `u = 2^-24` in 32 bits.
A document whose quick product lies more than twice that below `depth` others cannot be listed.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.candidates.encoders import Vectors
from pipeline.candidates.retriever import ROUNDING, Mask, Scores, floor_of

Positions = npt.NDArray[np.int64]

# How many quick scores are held at once (128 MB).
_SCORES_AT_ONCE = 32_000_000
_UNIT = 2.0**-24


class Screen:
    """Documents as the quick product needs them.

    Args:
        documents: one row each, the longest neither of length 0 nor too long for its square.
    """

    def __init__(self, documents: Vectors) -> None:
        self._longest: float = float(lengths_of(documents).max(initial=0.0))
        # Beyond these lengths products might leave the range of 32 bits.
        if not 1e-10 <= self._longest <= 1e15 and self._longest > 0:
            documents, self._longest = documents / self._longest, 1.0
        self._documents = documents.astype(np.float32, copy=False)

    def near(self, queries: Scores, admitted: Mask | None, depth: int) -> Iterator[Positions]:
        """For each query the positions, ascending, of all documents that could be listed.

        Args:
            queries: one row each, in 64 bits, none of length 0.
            admitted: which documents may be listed; None for all.
            depth: the longest list wanted.
        """
        positions = None if admitted is None else np.flatnonzero(admitted)
        documents = self._documents if positions is None else self._documents[positions]
        batch = max(1, _SCORES_AT_ONCE // max(1, len(documents)))
        # Of length 1: what is near does not depend on it, and the error bound becomes simple.
        directions = (queries / lengths_of(queries)[:, None]).astype(np.float32)
        for start in range(0, len(queries), batch):
            for scores in directions[start : start + batch] @ documents.T:
                near = self._near(scores, depth)
                yield near if positions is None else positions[near]

    def _near(self, scores: npt.NDArray[np.float32], depth: int) -> Positions:
        if len(scores) <= depth:
            return np.arange(len(scores))
        low = floor_of(scores, depth)
        return np.flatnonzero(scores >= low - self._margin(low))

    def _margin(self, low: float) -> float:
        """How far below the floor a document that is listed can seem to lie.

        Twice the product's error, in which each vector's own rounding to 32 bits counts as two
        more terms, and what rounding scores to six digits may bring together.
        """
        terms: int = self._documents.shape[1] + 4
        error: float = terms * _UNIT / (1 - terms * _UNIT) * self._longest
        return 2 * error + (abs(low) + error) * ROUNDING


def lengths_of(vectors: npt.NDArray[Any]) -> Scores:
    """The Euclidean length of each row, in 64 bits."""
    squares: Scores = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return np.sqrt(squares)
