"""The `bm25` kind: Lucene's variant, over title and text.

`score(d) = Σ_t idf(t) · tf / (tf + k1 · (1 - b + b · |d| / avgdl))` with
`idf(t) = ln(1 + (N - df + 0.5) / (df + 0.5))`, which is never negative (Kamphuis et al.,
ECIR 2020). A term repeated in the query counts as often as it stands there.

N, df and avgdl are those of all documents, also of those a query may not see.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.analyzer import Analyzer
from pipeline.cache import Array, Cache, Entry, environment, kept, texts_digest
from pipeline.candidates.postings import number_terms, weigh
from pipeline.candidates.retriever import NOTHING, Mask, Notes, Ranking, Scores, best
from pipeline.errors import MissingError
from pipeline.params import Bm25Branch


class Bm25Retriever:
    """An index in memory.

    Args:
        branch: k1, b, language.
        texts: title and text of each document, in id order; None where there is neither.
        cache: where the index of these texts may be kept; None keeps nothing.
    """

    reads = "text"

    def __init__(
        self, branch: Bm25Branch, texts: Sequence[str | None], cache: Cache | None = None
    ) -> None:
        self._branch = branch
        self._analyzer = Analyzer(branch.language)
        indexed = kept(
            cache,
            lambda: _key(branch, texts),
            lambda: _indexed(branch, self._analyzer, texts),
        )
        self.notes = _notes(len(texts), indexed)
        self.index_digest: str = indexed.facts["digest"]
        self.model_digest: str | None = None
        self._vocabulary = {term: number for number, term in enumerate(indexed.facts["terms"])}
        self._index = _engine(branch, self._vocabulary, indexed, len(texts))

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
        return best(scores, depth, above=0.0)

    def search_many(self, queries: Sequence[str], mask: Mask | None, depth: int) -> list[Ranking]:
        """`search`, one query after the other."""
        return [self.search(query, mask, depth) for query in queries]


def open_bm25(
    branch: Bm25Branch, texts: Sequence[str | None], cache: Cache | None = None
) -> Bm25Retriever:
    """Analyses and indexes the documents, or takes their index from the cache.

    Raises:
        MissingError: bm25s or PyStemmer is not installed.
        ParameterError: the language is unknown.
    """
    return Bm25Retriever(branch, texts, cache)


def _key(branch: Bm25Branch, texts: Sequence[str | None]) -> dict[str, Any]:
    return {
        "kind": "bm25",
        "k1": branch.k1,
        "b": branch.b,
        "language": branch.language,
        "texts": texts_digest(texts),
        "made_with": environment("numpy", "PyStemmer", "bm25s"),
    }


def _indexed(branch: Bm25Branch, analyzer: Analyzer, texts: Sequence[str | None]) -> Entry:
    documents = number_terms(analyzer, texts)
    facts = {
        "digest": documents.digest,
        "terms": documents.terms,
        "absent": sum(text is None for text in texts),
    }
    if not documents.terms:
        return Entry({"lengths": documents.lengths}, facts)
    made = weigh(documents, k1=branch.k1, b=branch.b)
    arrays: dict[str, Array] = {
        "weights": made.weights,
        "documents": made.documents,
        "starts": made.starts,
    }
    return Entry({**arrays, "lengths": documents.lengths}, facts)


def _engine(branch: Bm25Branch, vocabulary: dict[str, int], indexed: Entry, documents: int) -> Any:
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
    index.vocab_dict = vocabulary
    index.nonoccurrence_array = None
    index.scores = {
        "data": indexed.arrays["weights"],
        "indices": indexed.arrays["documents"],
        "indptr": indexed.arrays["starts"],
        "num_docs": documents,
    }
    return index


def _notes(documents: int, indexed: Entry) -> Notes:
    lengths = indexed.arrays["lengths"]
    return Notes(
        documents=documents,
        absent=indexed.facts["absent"],
        without_terms=tuple(np.flatnonzero(lengths == 0).tolist()),
        tokens=int(lengths.sum()),
        longest=int(lengths.max(initial=0)),
    )
