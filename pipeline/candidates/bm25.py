"""The `bm25` kind: Lucene's variant, over title and text.

`score(d) = Σ_t idf(t) · tf / (tf + k1 · (1 - b + b · |d| / avgdl))` with
`idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))`, which is never negative (Kamphuis et al.,
ECIR 2020). A term repeated in the query counts as often as it stands there.

N, df and avgdl are those of all documents, also of those a query may not see.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.analyzer import Analyzer
from pipeline.candidates.retriever import NOTHING, Mask, Notes, Ranking, Scores, top
from pipeline.errors import MissingError
from pipeline.params import Bm25Branch


class Bm25Retriever:
    """An index in memory.

    Args:
        branch: k1, b, language.
        texts: title and text of each document, in id order; None where there is neither.
    """

    reads = "text"

    def __init__(self, branch: Bm25Branch, texts: Sequence[str | None]) -> None:
        self._branch = branch
        self._analyzer = Analyzer(branch.language)
        terms = [self._analyzer.terms(text or "") for text in texts]
        self._size = len(texts)
        self.notes = _notes(texts, terms)
        self.index_digest = _digest(terms)
        self.model_digest: str | None = None
        self._vocabulary: dict[str, int] = {}
        self._index = _index(branch, self._numbered(terms), self._vocabulary)

    @property
    def contract(self) -> Mapping[str, Any]:
        """Formula, constants and analyzer."""
        return {
            "formula": "BM25, Lucene's variant",
            "k1": self._branch.k1,
            "b": self._branch.b,
            "fields": "title, text",
            "analyzer": self._analyzer.describe(),
            "statistics": "over all documents, eligible or not",
            "returned": "documents that match, score > 0",
        }

    def knows(self, query: str) -> bool:
        """Any text can be asked."""
        return True

    def search(self, query: str, mask: Mask | None, depth: int) -> Ranking:
        """The best documents that hold a term of the query; none for a query without terms."""
        known = sorted(
            self._vocabulary[term]
            for term in self._analyzer.terms(query)
            if term in self._vocabulary
        )
        if not known or self._index is None:
            return NOTHING
        weights = None if mask is None else mask.astype(np.float64)
        scores: Scores = self._index.get_scores_from_ids(known, weight_mask=weights)
        return top(scores, scores > 0, depth)

    def search_many(self, queries: Sequence[str], mask: Mask | None, depth: int) -> list[Ranking]:
        """`search`, one query after the other."""
        return [self.search(query, mask, depth) for query in queries]

    def _numbered(self, terms: Sequence[Sequence[str]]) -> list[list[int]]:
        # Numbers by first appearance: no hash order reaches the index.
        for document in terms:
            for term in document:
                self._vocabulary.setdefault(term, len(self._vocabulary))
        return [[self._vocabulary[term] for term in document] for document in terms]


def open_bm25(branch: Bm25Branch, texts: Sequence[str | None]) -> Bm25Retriever:
    """Analyses and indexes the documents.

    Raises:
        MissingError: bm25s or PyStemmer is not installed.
        ParameterError: the language is unknown.
    """
    return Bm25Retriever(branch, texts)


def _index(branch: Bm25Branch, numbered: list[list[int]], vocabulary: Mapping[str, int]) -> Any:
    if not vocabulary:
        return None
    try:
        from bm25s import BM25
    except ImportError as problem:
        raise MissingError(
            "bm25s is not installed", next_command="pip install 'bm25s>=0.3.16,<0.4'"
        ) from problem
    index = BM25(
        k1=branch.k1,
        b=branch.b,
        method="lucene",
        dtype="float64",
        backend="numpy",
        csc_backend="numpy",
    )
    index.index((numbered, dict(vocabulary)), create_empty_token=False, show_progress=False)
    return index


def _notes(texts: Sequence[str | None], terms: Sequence[Sequence[str]]) -> Notes:
    lengths = [len(document) for document in terms]
    return Notes(
        documents=len(texts),
        absent=sum(text is None for text in texts),
        without_terms=tuple(i for i, length in enumerate(lengths) if not length),
        tokens=sum(lengths),
        longest=max(lengths, default=0),
    )


def _digest(terms: Sequence[Sequence[str]]) -> str:
    digest = hashlib.sha256()
    for document in terms:
        digest.update(json.dumps(document, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()
