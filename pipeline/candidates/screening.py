"""Which documents can be among the nearest: a quick product with a proven error.

A dot product of n numbers in floating point differs from the exact one by at most
`γ |x| |y|`, `γ = n u / (1 - n u)`, in whatever order and on however many threads it is summed
(Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3); `u = 2^-24` in 32 bits.
A document whose quick product lies more than twice that below `depth` others cannot be listed.

Documents are compared a part at a time, and of each part only what could be listed of it is kept:
no matrix of all quick products is ever in memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.candidates.encoders import Vectors
from pipeline.candidates.retriever import ROUNDING, Mask, Positions, Scores, highest, leading
from pipeline.threads import LinearAlgebra, even_parts

Quick = npt.NDArray[np.float32]

# How many quick products a part has at most (32 MB), and how many times `depth` documents at least:
# of fewer, most would be kept.
_SCORES_AT_ONCE, _TIMES_DEPTH = 8_000_000, 16
_UNIT = 2.0**-24


@dataclass(frozen=True, slots=True)
class _Part:
    """What could be listed of some documents: by query, there by position.

    Args:
        starts: where each query's begin, and where the last one's end.
        positions: documents.
        scores: their quick products.
        leads: for each query, high quick products of different documents.
    """

    starts: Positions
    positions: Positions
    scores: Quick
    leads: Quick


@dataclass(frozen=True, slots=True)
class Near:
    """What could be listed of all documents.

    Args:
        parts: disjoint documents, in the order of their positions.
        lowest: for each query, the least quick product of what could be listed.
    """

    parts: Sequence[_Part]
    lowest: Quick

    @property
    def size(self) -> int:
        """At most so many documents of all queries together."""
        return sum(len(part.positions) for part in self.parts)

    def of(self, queries: range) -> tuple[Positions, Positions]:
        """Where the documents of each of these queries begin and end, and their positions."""
        begin, end = queries.start, queries.stop
        each = [(part, slice(part.starts[begin], part.starts[end])) for part in self.parts]
        lengths = [np.diff(part.starts[begin : end + 1]) for part in self.parts]
        askers = np.concatenate([np.repeat(queries, length) for length in lengths])
        scores = np.concatenate([part.scores[span] for part, span in each])
        positions = np.concatenate([part.positions[span] for part, span in each])
        kept = scores >= self.lowest[askers]
        askers, positions = askers[kept], positions[kept]
        # Stable: each query's stay in the order of positions.
        order = np.argsort(askers, kind="stable")
        starts = np.searchsorted(askers[order], np.arange(begin, end + 1))
        return starts, positions[order]


class Screen:
    """Documents as the quick product needs them.

    Args:
        documents: one row each, the longest neither of length 0 nor too long for its square.
        algebra: the libraries that multiply.
    """

    def __init__(self, documents: Vectors, algebra: LinearAlgebra) -> None:
        longest = float(lengths_of(documents).max(initial=0.0))
        # Beyond these lengths products might leave the range of 32 bits.
        if not 1e-10 <= longest <= 1e15 and longest > 0:
            documents, longest = documents / longest, 1.0
        self._documents = documents.astype(np.float32, copy=False)
        self._algebra = algebra
        # Each vector's own rounding to 32 bits counts as two more terms.
        terms = documents.shape[1] + 4
        self._error = terms * _UNIT / (1 - terms * _UNIT) * longest

    def near(self, queries: Scores, admitted: Mask | None, depth: int) -> Near:
        """All documents that could be listed.

        Args:
            queries: one row each, at least one, in 64 bits, none of length 0.
            admitted: which documents may be listed, at least one; None for all.
            depth: the longest list wanted.
        """
        positions = None if admitted is None else np.flatnonzero(admitted)
        count = len(self._documents) if positions is None else len(positions)
        parts = even_parts(count, _SCORES_AT_ONCE // len(queries), least=_TIMES_DEPTH * depth)
        # Of length 1: what is near does not depend on it, and the error bound becomes simple.
        directions = (queries / lengths_of(queries)[:, None]).astype(np.float32)

        def sift(number: int) -> _Part:
            rows = slice(parts[number].start, parts[number].stop)
            documents = self._documents[rows if positions is None else positions[rows]]
            part = self._sift(directions @ documents.T, depth)
            found = part.positions + rows.start
            return replace(part, positions=found if positions is None else positions[found])

        sifted = self._algebra.on_all_cores(sift, len(parts))
        leads = np.concatenate([part.leads for part in sifted], axis=1)
        return Near(sifted, self._lowest(highest(leads, depth)))

    def _sift(self, scores: Quick, depth: int) -> _Part:
        queries, count = scores.shape
        leads = leading(scores, depth)
        kept = np.flatnonzero(scores >= self._lowest(leads)[:, None])
        starts = np.searchsorted(kept, np.arange(queries + 1) * count)
        return _Part(starts, kept % count, scores.ravel()[kept], leads)

    def _lowest(self, leads: Quick) -> Quick:
        """For each query, how low the quick product of a listed document can be.

        Below the least that leads, by twice the product's error and by what rounding scores to
        six digits may bring together.
        """
        low = leads.min(axis=1).astype(np.float64)
        margin = 2 * self._error + (np.abs(low) + self._error) * ROUNDING
        lowest: Quick = (low - margin).astype(np.float32)
        return lowest


def lengths_of(vectors: npt.NDArray[Any]) -> Scores:
    """The Euclidean length of each row, in 64 bits."""
    squares: Scores = np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64)
    return np.sqrt(squares)
