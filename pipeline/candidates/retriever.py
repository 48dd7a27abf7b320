"""What a branch's engine is: it ranks the documents a query may see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pipeline.candidates.rounding import six_digits

Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

# Two scores that differ relatively by more than this stay apart after rounding to six digits.
ROUNDING = 2e-5

# At most so many documents' best score stands for them while a list's last score is sought.
_PART = 64


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ranked list: positions of documents in id order, and their rounded scores."""

    positions: Positions
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
    low = float(leading(scores, depth).min()) if len(scores) > depth else above
    low -= abs(low) * ROUNDING
    positions = np.flatnonzero(scores >= low if low > above else scores > above)
    return top(positions, scores[positions], depth)


def leading(scores: npt.NDArray[Any], depth: int) -> npt.NDArray[Any]:
    """High scores of `depth` different documents: the least is a lower bound of the last listed.

    The best of each of many disjoint parts are scores of different documents. One pass, where
    sorting takes many.

    Args:
        scores: along the last axis one for each document.
        depth: the longest list wanted.

    Returns:
        Along the last axis `depth` scores, or those of all documents where these are fewer.
    """
    count = scores.shape[-1]
    part = min(_PART, max(1, count // (2 * depth)))
    parts = count // part
    within = scores[..., : parts * part].reshape(*scores.shape[:-1], part, parts)
    return highest(within.max(axis=-2), depth)


def highest(values: npt.NDArray[Any], depth: int) -> npt.NDArray[Any]:
    """The `depth` highest along the last axis, in no order."""
    rest = values.shape[-1] - depth
    return values if rest <= 0 else np.partition(values, rest, axis=-1)[..., rest:]


def top(positions: Positions, values: Scores, depth: int) -> Ranking:
    """The best of these documents: score descending, then id ascending by code point.

    Scores are rounded to six significant digits before they are ordered, so that the last
    bits, which differ between processors, decide nothing.

    Args:
        positions: documents, by their place in id order, ascending.
        values: their scores.
        depth: the longest list wanted.
    """
    if len(positions) > depth:
        last = float(highest(values, depth).min())
        near = values >= last - abs(last) * ROUNDING
        positions, values = positions[near], values[near]
    return tops(np.array([0, len(positions)]), positions, values, depth)[0]


def tops(starts: Positions, positions: Positions, values: Scores, depth: int) -> list[Ranking]:
    """`top` of several lists, one after the other, none much longer than `depth`.

    Args:
        starts: where each list begins, and where the last one ends.
        positions: documents of all lists, ascending in each.
        values: their scores.
        depth: the longest list wanted.
    """
    rounded, lengths = six_digits(values), np.diff(starts)
    places = np.arange(lengths.max(initial=0))
    descending = np.full((len(lengths), len(places)), np.inf)
    descending[places < lengths[:, None]] = -rounded
    # Stable: what ties stays in the order of positions.
    order = starts[:-1, None] + np.argsort(descending, axis=1, kind="stable")[:, :depth]
    # Beyond the end of a shorter list stand others' documents, which are cut off.
    order = np.minimum(order, len(positions) - 1)
    lists = zip(positions[order], rounded[order], lengths.tolist(), strict=True)
    return [Ranking(which[:length], scores[:length]) for which, scores, length in lists]


def is_prefix(retriever: Retriever, queries: Sequence[str], mask: Mask | None, depth: int) -> bool:
    """Whether a shorter request returns the beginning of the longer one, on these queries."""
    long = retriever.search_many(queries, mask, depth)
    for shorter in {1, max(1, depth // 2)}:
        for whole, part in zip(long, retriever.search_many(queries, mask, shorter), strict=True):
            same = np.array_equal(whole.positions[:shorter], part.positions)
            if not same or not np.array_equal(whole.scores[:shorter], part.scores):
                return False
    return True
