"""The `lsa` encoder: TF-IDF reduced by a truncated SVD, fitted on the documents.

Latent semantic analysis (Deerwester et al., JASIS 1990); scikit-learn's randomised solver, on
one thread, from a seed. Fitted over all documents, also over those a query may not see.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.analyzer import Analyzer
from pipeline.cache import Cache, Entry, environment, kept, texts_digest
from pipeline.candidates.encoders.encoder import Vectors
from pipeline.candidates.retriever import Notes
from pipeline.errors import MissingError
from pipeline.threads import LinearAlgebra


class LsaEncoder:
    """Document vectors, and the fitted model for queries.

    Args:
        texts: title and text of each document, in id order; None where there is neither.
        dimensions: of the reduced space; fewer where documents or terms are fewer.
        seed: of the solver.
        cache: where what is fitted on these texts may be kept; None keeps nothing.

    Raises:
        MissingError: scikit-learn is not installed.
    """

    reads = "text"

    def __init__(
        self,
        texts: Sequence[str | None],
        *,
        dimensions: int,
        seed: int,
        cache: Cache | None = None,
    ) -> None:
        self._analyzer = Analyzer()
        self._seed, self._dimensions = seed, dimensions
        self.model_digest: str | None = None
        made = kept(cache, lambda: self._key(texts), lambda: self._fitted(texts))
        self.documents: Vectors = made.arrays["vectors"]
        self._tfidf, self._svd = _restored(made, seed)
        self.index_digest: str = made.facts["digest"]
        lengths = made.arrays["lengths"]
        self.notes = Notes(
            documents=len(texts),
            absent=made.facts["absent"],
            without_terms=tuple(np.flatnonzero(lengths == 0).tolist()),
            tokens=int(lengths.sum()),
            longest=int(lengths.max(initial=0)),
        )

    @property
    def contract(self) -> Mapping[str, Any]:
        """Weights, reduction, seed."""
        return {
            "encoder": "lsa",
            "weights": "(1 + ln tf) · idf, unit length",
            "reduction": "truncated SVD, randomised, 5 iterations",
            "seed": self._seed,
            "analyzer": self._analyzer.describe(),
            "fields": "title, text",
            "statistics": "over all documents, eligible or not",
        }

    def knows(self, query: str) -> bool:
        """Any text can be encoded."""
        return True

    def encode(self, queries: Sequence[str]) -> Vectors:
        """Queries in the reduced space; zeros where no term is known."""
        if self._svd is None:
            return np.zeros((len(queries), 1))
        weights = self._tfidf.transform([self._analyzer.terms(query) for query in queries])
        reduced: Vectors = self._svd.transform(weights)
        return reduced

    def _key(self, texts: Sequence[str | None]) -> dict[str, Any]:
        return {
            "kind": "lsa",
            "dimensions": self._dimensions,
            "seed": self._seed,
            "texts": texts_digest(texts),
            "made_with": environment("numpy", "scipy", "scikit-learn"),
        }

    def _fitted(self, texts: Sequence[str | None]) -> Entry:
        terms = [self._analyzer.terms(text or "") for text in texts]
        lengths = np.array([len(document) for document in terms], dtype=np.int64)
        facts: dict[str, Any] = {
            "digest": _digest(terms, self._dimensions, self._seed),
            "absent": sum(text is None for text in texts),
        }
        if not lengths.any():
            nothing = np.zeros((len(terms), 1))
            return Entry({"vectors": nothing, "lengths": lengths}, {**facts, "terms": []})
        tfidf, svd = _untrained(self._seed)
        weights = tfidf.fit_transform(terms)
        vectors = _reduced(svd, weights, self._dimensions)
        # A document without terms is zero by definition, not by rounding.
        vectors[lengths == 0] = 0.0
        return Entry(
            {
                "vectors": vectors,
                "lengths": lengths,
                "idf": tfidf.idf_,
                "components": svd.components_,
            },
            {**facts, "terms": tfidf.get_feature_names_out().tolist()},
        )


def _untrained(seed: int) -> tuple[Any, Any]:
    try:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as problem:
        raise MissingError(
            "the encoder `lsa` needs scikit-learn, which is not installed",
            next_command="pip install scikit-learn",
        ) from problem
    # Terms are made beforehand, once: to the vectorizer a document is its list of terms.
    tfidf = TfidfVectorizer(analyzer=list, sublinear_tf=True)
    return tfidf, TruncatedSVD(algorithm="randomized", n_iter=5, random_state=seed)


def _reduced(svd: Any, weights: Any, dimensions: int) -> Vectors:
    """The documents in the reduced space, to which the solver is fitted."""
    if weights.shape[1] == 1:  # the solver refuses one term: there is nothing to reduce
        svd.components_ = np.ones((1, 1))
        alone: Vectors = weights.toarray()
        return alone
    svd.n_components = min(dimensions, *weights.shape)
    # Of a single document there is no variance to explain, and nothing here asks for its share.
    with LinearAlgebra().on_one_thread(), np.errstate(invalid="ignore"):
        reduced: Vectors = svd.fit_transform(weights)
    return reduced


def _restored(made: Entry, seed: int) -> tuple[Any, Any]:
    """The fitted model for queries, from its numbers; none where nothing could be fitted."""
    tfidf, svd = _untrained(seed)
    if not made.facts["terms"]:
        return tfidf, None
    tfidf.set_params(vocabulary={term: place for place, term in enumerate(made.facts["terms"])})
    tfidf.idf_ = made.arrays["idf"]
    svd.components_ = made.arrays["components"]
    return tfidf, svd


def _digest(terms: Sequence[Sequence[str]], dimensions: int, seed: int) -> str:
    # The vectors' last bits differ between processors; what they are fitted on does not.
    digest = hashlib.sha256(f"{dimensions} {seed}\n".encode())
    for document in terms:
        digest.update("\x00".join(document).encode() + b"\n")
    return digest.hexdigest()
