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

from pipeline.candidates.encoders.encoder import Vectors
from pipeline.candidates.retriever import Notes
from pipeline.errors import MissingError

_TEXTS_AT_ONCE = 2_048


class StaticEncoder:
    """Document vectors, and the model for queries.

    Args:
        texts: title and text of each document, in id order; None where there is neither.

    Raises:
        MissingError: wordllama is not installed, or its wheel lacks the model.
    """

    reads = "text"

    def __init__(self, texts: Sequence[str | None]) -> None:
        model = _load()
        self._weights = model.embedding
        self._tokenizer = model.tokenizer
        # Padding would make a text's sum depend on its neighbours in the batch.
        self._tokenizer.no_padding()
        self.model_digest: str | None = hashlib.sha256(
            self._weights.tobytes() + self._tokenizer.to_str().encode()
        ).hexdigest()
        digest = hashlib.sha256()
        self.documents, lengths = self._means([text or "" for text in texts], digest)
        self.index_digest = digest.hexdigest()
        self.notes = Notes(
            documents=len(texts),
            absent=sum(text is None for text in texts),
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

    def _means(self, texts: Sequence[str], digest: Any) -> tuple[Vectors, np.ndarray[Any, Any]]:
        means = np.zeros((len(texts), self._weights.shape[1]), dtype=np.float32)
        lengths = np.zeros(len(texts), dtype=np.int64)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            stripped = [text.strip() for text in texts[start : start + _TEXTS_AT_ONCE]]
            encoded = self._tokenizer.encode_batch(stripped, add_special_tokens=False)
            for row, (text, pieces) in enumerate(zip(stripped, encoded, strict=True), start):
                # The tokenizer makes a word boundary, a piece of its own, even of nothing.
                ids = np.array(pieces.ids if text else [], dtype=np.int64)
                if digest is not None:
                    digest.update(len(ids).to_bytes(8, "little") + ids.astype("<i8").tobytes())
                if len(ids):
                    means[row] = self._weights[ids].sum(axis=0, dtype=np.float64) / len(ids)
                    lengths[row] = len(ids)
        return means, lengths


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
