"""Made-up collections of any length: words by Zipf's law, the same for the same arguments."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

VOCABULARY = 200_000
WORDS = 120  # of a passage
_ONSETS = ["b", "br", "c", "d", "f", "g", "gr", "l", "m", "n", "p", "r", "s", "st", "t", "v"]
_VOWELS = ["a", "e", "i", "o", "u"]
_AT_ONCE = 10_000


def passages(count: int, *, words: int = WORDS, seed: int = 0) -> Iterator[str]:
    """Texts of so many words; the r-th commonest word is drawn with probability ~ 1/r."""
    lexicon, cumulated = _lexicon()
    generator = np.random.default_rng(seed)
    for start in range(0, count, _AT_ONCE):
        rows = min(_AT_ONCE, count - start)
        drawn = np.searchsorted(cumulated, generator.random((rows, words)))
        yield from (" ".join(row) for row in lexicon[drawn])


def queries(count: int, *, words: int = 8, seed: int = 1) -> list[str]:
    """Short texts from the same words, without the hundred commonest."""
    lexicon, cumulated = _lexicon()
    generator = np.random.default_rng(seed)
    low = cumulated[99]
    drawn = np.searchsorted(cumulated, low + (1 - low) * generator.random((count, words)))
    return [" ".join(row) for row in lexicon[drawn]]


def write_collection(folder: Path, documents: int, asked: int) -> None:
    """A native collection: passages, queries, one relevant passage for each query."""
    (folder / "judgments").mkdir(parents=True)
    with (folder / "documents.jsonl").open("w", encoding="utf-8") as out:
        for number, text in enumerate(passages(documents)):
            out.write(json.dumps({"doc_id": f"d{number:07d}", "text": text}) + "\n")
    with (folder / "queries.jsonl").open("w", encoding="utf-8") as out:
        for number, text in enumerate(queries(asked)):
            out.write(json.dumps({"query_id": f"q{number:05d}", "text": text}) + "\n")
    with (folder / "judgments" / "made.jsonl").open("w", encoding="utf-8") as out:
        for number in range(asked):
            line = {"query_id": f"q{number:05d}", "evidence_id": f"d{number:07d}", "grade": 1}
            out.write(json.dumps(line) + "\n")


def _lexicon() -> tuple[np.ndarray, np.ndarray]:
    """Words, the commonest first and shortest, and their cumulated probabilities."""
    syllables = [onset + vowel for onset in _ONSETS for vowel in _VOWELS]
    words = [_word(number, syllables) for number in range(VOCABULARY)]
    weights = 1.0 / np.arange(1, VOCABULARY + 1)
    return np.array(words, dtype=object), np.cumsum(weights / weights.sum())


def _word(number: int, syllables: list[str]) -> str:
    spelled = ""
    number += len(syllables)
    while number:
        number, last = divmod(number, len(syllables))
        spelled = syllables[last] + spelled
    return spelled
