"""What a branch's engine is: it ranks the documents a query may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pipeline.storage import round_significant

Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]

# Two scores that differ relatively by more than this stay apart after rounding to six digits.
ROUNDING = 2e-5

# Documents whose best score stands for them while a list's last score is sought.
_PART = 64


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranked list: positions of documents in id order, and their rounded scores."""

    positions: npt.NDArray[np.int64]
    scores: Scores

    def __len__(self) -> int:
        return len(self.positions)


@dataclass(frozen=True, slots=True)
class Notes:
    """What a person must know of what was indexed.

    Args:
        documents: documents given.
        absent: documents with nothing to index: neither title nor text, or no vector.
        without_terms: positions of documents that nothing of could be indexed.
        tokens: terms or tokens indexed, over all documents.
        longest: the same, of the longest document.
        truncated: documents cut at the model's limit.
        tokens_lost: tokens cut there.
        limit: the model's limit in tokens; None where it has none.
    """

    documents: int
    absent: int
    without_terms: tuple[int, ...]
    tokens: int
    longest: int
    truncated: int = 0
    tokens_lost: int = 0
    limit: int | None = None


class Retriever(Protocol):
    """An opened branch.

    `reads` says what a query is to it: "text", or "query_id" where vectors were computed
    elsewhere.
    """

    reads: str

    @property
    def contract(self) -> Mapping[str, Any]:
        """All that decides its lists, in words and values."""

    @property
    def notes(self) -> Notes:
        """What became of the documents."""

    @property
    def index_digest(self) -> str:
        """Digest of what was indexed."""

    @property
    def model_digest(self) -> str | None:
        """Digest of the model that made vectors of it; None where there is none."""

    def knows(self, query: str) -> bool:
        """Whether this query can be asked at all (a precomputed vector may be missing)."""

    def search(self, query: str, mask: Mask | None, depth: int) -> Ranking:
        """The best `depth` documents of those the mask admits (None: all), in id order."""

    def search_many(self, queries: Sequence[str], mask: Mask | None, depth: int) -> list[Ranking]:
        """`search` for queries under one mask."""


NOTHING = Ranking(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float64))


def best(scores: npt.NDArray[Any], depth: int, *, above: float) -> Ranking:
    """The best documents of all, those with a score above a bound.

    Args:
        scores: one for each document, in id order.
        depth: the longest list wanted.
        above: what a score must exceed to be returned.
    """
    low = floor_of(scores, depth) if len(scores) > depth else above
    low -= abs(low) * ROUNDING
    positions = np.flatnonzero(scores >= low if low > above else scores > above)
    return top(positions, scores[positions], depth)


def floor_of(scores: npt.NDArray[Any], depth: int) -> float:
    """A score that at least `depth` of all reach: a cheap lower bound of the last one listed.

    The best of each of many disjoint parts are scores of different documents, so the `depth`-th
    best of these bests is reached by that many. One pass, where sorting takes many.

    Args:
        scores: one for each document, more than `depth`.
        depth: the longest list wanted.
    """
    parts = len(scores) // _PART
    bests = scores
    if parts >= depth:
        bests = scores[: parts * _PART].reshape(_PART, parts).max(axis=0)
    return float(np.partition(bests, len(bests) - depth)[len(bests) - depth])


def top(positions: npt.NDArray[np.int64], values: Scores, depth: int) -> Ranking:
    """The best of these documents: score descending, then id ascending by code point.

    Scores are rounded to six significant digits before they are ordered, so that the last
    bits, which differ between processors, decide nothing.

    Args:
        positions: documents, by their place in id order.
        values: their scores.
        depth: the longest list wanted.
    """
    if len(positions) > depth:
        last = np.partition(values, len(values) - depth)[len(values) - depth]
        near = values >= last - abs(last) * ROUNDING
        positions, values = positions[near], values[near]
    rounded = _rounded(values)
    order = np.lexsort((positions, -rounded))[:depth]
    return Ranking(positions[order], rounded[order])


def is_prefix(retriever: Retriever, queries: Sequence[str], mask: Mask | None, depth: int) -> bool:
    """Whether a shorter request returns the beginning of the longer one, on these queries."""
    long = retriever.search_many(queries, mask, depth)
    for shorter in {1, max(1, depth // 2)}:
        for whole, part in zip(long, retriever.search_many(queries, mask, shorter), strict=True):
            same = np.array_equal(whole.positions[:shorter], part.positions)
            if not same or not np.array_equal(whole.scores[:shorter], part.scores):
                return False
    return True


def _rounded(values: Scores) -> Scores:
    distinct, where = np.unique(values, return_inverse=True)
    # Adding 0.0 turns a negative zero into zero: one value, one spelling.
    exact = np.array([round_significant(float(v)) + 0.0 for v in distinct], dtype=np.float64)
    return exact[where]
