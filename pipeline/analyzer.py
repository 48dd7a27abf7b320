"""How text becomes terms: one declared analyzer, the same for documents and queries.

Folding: NFKC, case folded, NFKC again; soft hyphens and joiners dropped, typographic hyphens
made plain. Identifiers (`PAY-1047`, `kx_0417.b`) are kept whole and in their parts, plain
decimal numbers whole. Scripts written without blanks (Han, kana, Hangul, Thai, Lao, Khmer,
Burmese) become overlapping pairs of characters. Then stop words and the Snowball stemmer of the
declared language. Words with a digit are never stemmed.
"""

import hashlib
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from pipeline.languages import NO_LANGUAGE, stemmer, stop_words

_SPACELESS = (
    "\u0e01-\u0e3a\u0e40-\u0e4e"  # Thai
    "\u0e81-\u0ebd\u0ec0-\u0ecd"  # Lao
    "\u1000-\u1049\u1780-\u17d3"  # Burmese, Khmer
    "\u1100-\u11ff\uac00-\ud7a3"  # Hangul
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd"  # Han
)
_JOINERS = "-_./"
_HYPHENS = {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2212"}
# Invisible characters inside words: soft hyphen, zero-width joiners, byte order mark.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200c\u200d\u2060\ufeff"))
_DOTTED_I = {"i\u0307": "i"}  # what case folding leaves of the Turkish capital İ
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s(?!\w)")
_ASCII_CHUNKS = re.compile(r"[a-z0-9]+(?:[-_./][a-z0-9]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")


class Analyzer:
    """Turns text into index terms.

    Args:
        language: a Snowball language, or "none" for neither stemmer nor stop words.

    Raises:
        ParameterError: the language is unknown.
        MissingError: PyStemmer or bm25s is not installed.
    """

    __slots__ = ("_chunk_terms", "_stem", "_stop_words", "language")

    def __init__(self, language: str = NO_LANGUAGE) -> None:
        self.language = language
        self._stop_words = frozenset(fold(word) for word in stop_words(language))
        self._stem: Callable[[str], str] = stemmer(language)
        # Every distinct chunk is analysed once: natural text repeats its words.
        self._chunk_terms: dict[str, tuple[str, ...]] = {}

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in reading order, repeats kept."""
        found: list[str] = []
        for chunk in self.chunks(text):
            found += self.chunk_terms(chunk)
        return found

    def chunks(self, text: str) -> list[str]:
        """What a text is cut into before each piece becomes terms."""
        folded = fold(text)
        if self.language == "english" and ("'" in folded or "\u2019" in folded):
            folded = _POSSESSIVE.sub("", folded)
        return _split(folded)

    def chunk_terms(self, chunk: str) -> tuple[str, ...]:
        """The index terms of one chunk."""
        terms = self._chunk_terms.get(chunk)
        if terms is None:
            terms = self._chunk_terms[chunk] = tuple(self._of_chunk(chunk))
        return terms

    def describe(self) -> dict[str, Any]:
        """The whole contract of the analyzer, for manifests and digests."""
        listed = "\n".join(sorted(self._stop_words)).encode()
        return {
            "folding": "NFKC, case folded",
            "identifiers": "whole and in parts",
            "scripts_without_blanks": "character pairs",
            "language": self.language,
            "stemmer": "none" if self.language == NO_LANGUAGE else f"snowball {self.language}",
            "stop_words": len(self._stop_words),
            "stop_words_digest": hashlib.sha256(listed).hexdigest()[:16],
        }

    def _of_chunk(self, chunk: str) -> Iterator[str]:
        if chunk.isascii() and chunk.isalpha():  # the commonest kind: none of what follows
            if chunk not in self._stop_words:
                yield self._stem(chunk)
            return
        if _spaceless().match(chunk):
            yield from _pairs(chunk)
            return
        if is_identifier(chunk) or _is_decimal(chunk):
            yield chunk
        if _is_decimal(chunk):
            return
        for part in re.split(f"[{re.escape(_JOINERS)}]", chunk):
            if part and part not in self._stop_words:
                yield part if _has_digit(part) else self._stem(part)


def fold(text: str) -> str:
    """Text in one normal form and case, invisible characters dropped."""
    if text.isascii():  # most text by far, and of all that follows only its case is folded
        return text.lower()
    plain = unicodedata.normalize("NFKC", text).translate(_HYPHENS).translate(_INVISIBLE)
    folded = unicodedata.normalize("NFKC", plain.casefold())
    for found, meant in _DOTTED_I.items():
        folded = folded.replace(found, meant)
    return folded


def is_identifier(chunk: str) -> bool:
    """Whether a folded chunk is a joined code: joined by `_`, or joined and with a digit."""
    if _is_decimal(chunk):
        return False
    joined = any(joiner in chunk for joiner in _JOINERS)
    return "_" in chunk or (joined and _has_digit(chunk))


def identifiers(text: str) -> list[str]:
    """The exact codes in a text: joined identifiers, and words that mix letters and digits."""
    chunks = [chunk for chunk in _split(fold(text)) if not _spaceless().match(chunk)]
    return [chunk for chunk in chunks if is_identifier(chunk) or _mixes(chunk)]


def _split(folded: str) -> list[str]:
    pattern = _ASCII_CHUNKS if folded.isascii() else _chunks()
    found: list[str] = pattern.findall(folded)
    return found


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _has_digit(word: str) -> bool:
    return any(c.isdigit() for c in word)


def _mixes(word: str) -> bool:
    return _has_digit(word) and any(c.isalpha() for c in word)


def _is_decimal(chunk: str) -> bool:
    return "." in chunk and _NUMBER.fullmatch(chunk) is not None


@cache
def _spaceless() -> re.Pattern[str]:
    return re.compile(f"[{_SPACELESS}]")


@cache
def _chunks() -> re.Pattern[str]:
    """Runs of a script without blanks, or words joined by single joiners.

    `\\w` lacks combining marks, without which Hindi and pointed Hebrew words fall apart. Plain
    letters stand first: the commonest text is found fastest.
    """
    marks = "".join(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Mn", "Mc"}
    )
    word = f"(?:[a-z0-9]+|[^\\W_{_SPACELESS}]+|[{_as_ranges(marks)}]+)+"
    return re.compile(f"[{_SPACELESS}]+|{word}(?:[{re.escape(_JOINERS)}]{word})*")


def _as_ranges(characters: str) -> str:
    ranges: list[tuple[int, int]] = []
    for code in map(ord, characters):
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1] = (ranges[-1][0], code)
        else:
            ranges.append((code, code))
    return "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges)
