"""The `static` encoder: the mean of the word-piece vectors that wordllama carries in its wheel.

Nothing is downloaded. There is no limit on length: a long text is the mean of all its pieces.
"""

import hashlib
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.cache import Cache, Entry, environment, kept, texts_digest
from pipeline.candidates.encoders.encoder import Vectors
from pipeline.candidates.retriever import Notes
from pipeline.errors import MissingError
from pipeline.progress import progress

_TEXTS_AT_ONCE = 2_048
_MANY_TEXTS = 1_000


class StaticEncoder:
    """Document vectors, and the model for queries.

    Args:
        texts: title and text of each document, in id order; None where there is neither.
        cache: where the vectors of these texts may be kept; None keeps nothing.

    Raises:
        MissingError: wordllama is not installed, or its wheel lacks the model.
    """

    reads = "text"

    def __init__(self, texts: Sequence[str | None], cache: Cache | None = None) -> None:
        model = _load()
        self._weights = model.embedding
        self._widened: Any = None
        self._tokenizer = model.tokenizer
        # Padding would make a text's sum depend on its neighbours in the batch.
        self._tokenizer.no_padding()
        self.model_digest: str | None = hashlib.sha256(
            self._weights.tobytes() + self._tokenizer.to_str().encode()
        ).hexdigest()
        made = kept(cache, lambda: self._key(texts), lambda: self._encoded(texts))
        self.documents: Vectors = made.arrays["vectors"]
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
        """Model and pooling."""
        return {
            "encoder": "static",
            "model": "wordllama l2_supercat 256",
            "pooling": "mean of all word pieces",
            "fields": "title, text",
        }

    def knows(self, query: str) -> bool:
        """Any text can be encoded."""
        return True

    def encode(self, queries: Sequence[str]) -> Vectors:
        """The mean of each query's word pieces."""
        return self._means(queries, None)[0]

    def _key(self, texts: Sequence[str | None]) -> dict[str, Any]:
        return {
            "kind": "static",
            "model": self.model_digest,
            "texts": texts_digest(texts),
            "made_with": environment("numpy", "scipy", "tokenizers", "wordllama"),
        }

    def _encoded(self, texts: Sequence[str | None]) -> Entry:
        digest = hashlib.sha256()
        vectors, lengths = self._means([text or "" for text in texts], digest)
        absent = sum(text is None for text in texts)
        return Entry(
            {"vectors": vectors, "lengths": lengths},
            {"digest": digest.hexdigest(), "absent": absent},
        )

    def _means(self, texts: Sequence[str], digest: Any) -> tuple[Vectors, np.ndarray[Any, Any]]:
        means = np.zeros((len(texts), self._weights.shape[1]), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        with progress("encoding", len(texts), unit="texts") as advance:
            for start in range(0, len(texts), _TEXTS_AT_ONCE):
                rows = slice(start, start + _TEXTS_AT_ONCE)
                pieces = self._pieces(texts[rows])
                if digest is not None:
                    for ids in pieces:
                        digest.update(len(ids).to_bytes(8, "little") + ids.astype("<i8").tobytes())
                lengths[rows] = [len(ids) for ids in pieces]
                means[rows] = self._sums(pieces) / np.maximum(lengths[rows], 1)[:, None]
                advance(len(pieces))
        return means, lengths

    def _pieces(self, texts: Sequence[str]) -> list[np.ndarray[Any, Any]]:
        stripped = [text.strip() for text in texts]
        encoded = self._tokenizer.encode_batch_fast(stripped, add_special_tokens=False)
        # The tokenizer makes a word boundary, a piece of its own, even of nothing.
        return [
            np.array(found.ids if text else [], dtype=np.int64)
            for text, found in zip(stripped, encoded, strict=True)
        ]

    def _sums(self, pieces: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
        """The sum of each text's piece vectors, in 64 bits, in the text's own order."""
        if len(pieces) < _MANY_TEXTS:
            return np.array([self._weights[ids].sum(axis=0, dtype=np.float64) for ids in pieces])
        # Imported here: a few queries need no sparse product, which adds up in the same order.
        from scipy.sparse import csr_array

        if self._widened is None:
            self._widened = self._weights.astype(np.float64)
        flat = np.concatenate(pieces)
        ends = np.cumsum([0, *(len(ids) for ids in pieces)])
        shape = (len(pieces), len(self._weights))
        sums: np.ndarray[Any, Any] = csr_array((np.ones(len(flat)), flat, ends), shape) @ (
            self._widened
        )
        return sums


def _load() -> Any:
    try:
        with _logging_as_it_was():
            import wordllama
    except ImportError as problem:
        raise MissingError(
            "the encoder `static` needs wordllama, which is not installed",
            next_command="pip install 'wordllama>=0.4'",
        ) from problem
    try:
        # Its tokenizer is looked for in the wrong folder unless the cache is the package itself.
        return wordllama.WordLlama.load(
            cache_dir=Path(wordllama.__file__).parent, disable_download=True
        )
    except FileNotFoundError as problem:
        raise MissingError(
            "wordllama is installed without its model",
            found=problem,
            next_command="pip install --force-reinstall 'wordllama>=0.4'",
        ) from problem


@contextmanager
def _logging_as_it_was() -> Iterator[None]:
    """wordllama configures the root logger when it is imported; this undoes it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    try:
        yield
    finally:
        root.handlers[:] = handlers
        root.setLevel(level)
