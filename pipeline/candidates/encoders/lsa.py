"""The `lsa` encoder: TF-IDF reduced by a truncated SVD, fitted on the documents.

Latent semantic analysis (Deerwester et al., JASIS 1990); scikit-learn's randomised solver, on
one thread, from a seed. Fitted over all documents, also over those a query may not see.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pipeline.candidates.analyzer import Analyzer
from pipeline.candidates.encoders.encoder import Vectors
from pipeline.candidates.retriever import Notes
from pipeline.candidates.threads import LinearAlgebra
from pipeline.errors import MissingError


class LsaEncoder:
    """Document vectors, and the fitted model for queries.

    Args:
        texts: title and text of each document, in id order; None where there is neither.
        dimensions: of the reduced space; fewer where documents or terms are fewer.
        seed: of the solver.

    Raises:
        MissingError: scikit-learn is not installed.
    """

    reads = "text"

    def __init__(self, texts: Sequence[str | None], *, dimensions: int, seed: int) -> None:
        self._analyzer = Analyzer()
        self._seed = seed
        self.model_digest: str | None = None
        self._tfidf, self._svd = _untrained(self._analyzer, seed)
        present = [text or "" for text in texts]
        if any(self._analyzer.terms(text) for text in present):
            weights = self._tfidf.fit_transform(present)
            self.documents: Vectors = self._reduced(weights, dimensions)
            counts = np.diff(weights.indptr)
        else:
            self._svd = None
            self.documents = np.zeros((len(present), 1))
            counts = np.zeros(len(present), dtype=np.int64)
        lengths = [len(self._analyzer.terms(text)) for text in present]
        self.index_digest = _digest(self._analyzer, present, dimensions, seed)
        self.notes = Notes(
            documents=len(texts),
            absent=sum(text is None for text in texts),
            without_terms=tuple(np.flatnonzero(counts == 0).tolist()),
            tokens=sum(lengths),
            longest=max(lengths, default=0),
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
        reduced: Vectors = self._svd.transform(self._tfidf.transform(queries))
        return reduced

    def _reduced(self, weights: Any, dimensions: int) -> Vectors:
        self._svd.n_components = min(dimensions, *weights.shape)
        with LinearAlgebra().on_one_thread():
            reduced: Vectors = self._svd.fit_transform(weights)
        # A document without terms is zero by definition, not by rounding.
        reduced[np.diff(weights.indptr) == 0] = 0.0
        return reduced


def _untrained(analyzer: Analyzer, seed: int) -> tuple[Any, Any]:
    try:
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
    except ImportError as problem:
        raise MissingError(
            "the encoder `lsa` needs scikit-learn, which is not installed",
            next_command="pip install scikit-learn",
        ) from problem
    tfidf = TfidfVectorizer(analyzer=analyzer.terms, sublinear_tf=True)
    return tfidf, TruncatedSVD(algorithm="randomized", n_iter=5, random_state=seed)


def _digest(analyzer: Analyzer, texts: Sequence[str], dimensions: int, seed: int) -> str:
    # The vectors' last bits differ between processors; what they are fitted on does not.
    digest = hashlib.sha256(f"{dimensions} {seed}\n".encode())
    for text in texts:
        digest.update("\x00".join(analyzer.terms(text)).encode() + b"\n")
    return digest.hexdigest()
