"""Postings made in arrays against those that bm25s makes of lists."""

import hashlib
import json

import numpy as np
import pytest
from bm25s import BM25
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.analyzer import Analyzer
from pipeline.candidates.postings import number_terms, weigh

WORDS = [
    "valve",
    "pumps",
    "KX-0417-B",
    "kx_0417.b",
    "3.14",
    "operator's",
    "the",
    "冷却水",
    "é",
    "-",
]
TEXTS = st.lists(
    st.none() | st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join), min_size=1, max_size=9
)


@given(TEXTS, st.sampled_from(["none", "english", "german"]))
@settings(deadline=None)
def test_documents_are_numbered_by_first_appearance_of_their_terms(
    texts: list[str | None], language: str
) -> None:
    analyzer = Analyzer(language)
    found = number_terms(Analyzer(language), texts)
    documents = [analyzer.terms(text or "") for text in texts]
    assert found.terms == list(dict.fromkeys(term for document in documents for term in document))
    ends = np.cumsum(found.lengths).tolist()
    parts = [found.numbers[end - n : end] for end, n in zip(ends, found.lengths, strict=True)]
    assert [[found.terms[i] for i in part.tolist()] for part in parts] == documents


@given(TEXTS)
@settings(deadline=None)
def test_the_digest_is_that_of_the_documents_terms_as_json_lines(texts: list[str | None]) -> None:
    analyzer = Analyzer("english")
    lines = (json.dumps(analyzer.terms(text or ""), ensure_ascii=False) for text in texts)
    expected = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
    assert number_terms(analyzer, texts).digest == expected


@given(TEXTS, st.sampled_from([0.1, 0.9, 1.2, 3.0]), st.sampled_from([0.0, 0.4, 1.0]))
@settings(deadline=None)
def test_every_weight_is_the_one_of_bm25s_to_the_last_bit(
    texts: list[str | None], k1: float, b: float
) -> None:
    documents = number_terms(Analyzer(), texts)
    if not documents.terms:
        return
    parts = np.split(documents.numbers, np.cumsum(documents.lengths)[:-1])
    theirs = BM25(k1=k1, b=b, method="lucene", dtype="float64", backend="numpy")
    vocabulary = {term: number for number, term in enumerate(documents.terms)}
    theirs.index(([part.tolist() for part in parts], vocabulary), False, show_progress=False)
    ours = weigh(documents, k1=k1, b=b)
    assert ours.starts.tolist() == theirs.scores["indptr"].tolist()
    assert ours.documents.tolist() == theirs.scores["indices"].tolist()
    assert ours.weights.tobytes() == theirs.scores["data"].tobytes()


def test_one_weight_by_hand() -> None:
    # Two documents of two terms each; `a` twice in one: idf ln(1 + 1.5/1.5), tf 2, length 1.
    documents = number_terms(Analyzer(), ["a a", "b c"])
    made = weigh(documents, k1=0.9, b=0.4)
    assert made.documents.tolist() == [0, 1, 1]
    assert made.weights[0] == pytest.approx(np.log(2) * 2 / (2 + 0.9))
