"""The bm25 kind against its formula, and the ways a lexical branch goes wrong."""

import math
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.analyzer import Analyzer
from pipeline.candidates.bm25 import Bm25Retriever, open_bm25
from pipeline.candidates.retriever import Ranking
from pipeline.errors import MissingError
from pipeline.params import Bm25Branch

WORDS = ["valve", "pump", "seal", "red", "blue", "kx-0417"]
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=1, max_size=8)
QUERIES = st.lists(st.sampled_from([*WORDS, "absent"]), max_size=4).map(" ".join)


def opened(*texts: str | None, language: str = "none") -> Bm25Retriever:
    return open_bm25(Bm25Branch(kind="bm25", language=language), list(texts))


def found(retriever: Bm25Retriever, query: str, depth: int = 100) -> list[int]:
    return retriever.search(query, None, depth).positions.tolist()


def by_formula(texts: list[str], query: str, k1: float = 0.9, b: float = 0.4) -> dict[int, float]:
    """BM25 as it is written in the literature, document by document and term by term."""
    analyzer = Analyzer()
    documents = [Counter(analyzer.terms(text)) for text in texts]
    average = sum(sum(d.values()) for d in documents) / len(documents)
    scores: dict[int, float] = {}
    for position, document in enumerate(documents):
        score = 0.0
        for term in analyzer.terms(query):
            df = sum(term in other for other in documents)
            if document[term]:
                idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
                length = 1 - b + b * sum(document.values()) / average
                score += idf * document[term] / (document[term] + k1 * length)
        if score:
            scores[position] = score
    return scores


@given(TEXTS, QUERIES)
@settings(deadline=None)
def test_scores_are_those_of_the_formula(texts: list[str], query: str) -> None:
    ranking = opened(*texts).search(query, None, 100)
    expected = by_formula(texts, query)
    assert dict(zip(ranking.positions.tolist(), ranking.scores, strict=True)) == {
        position: pytest.approx(score, rel=1e-5) for position, score in expected.items()
    }


@given(TEXTS, QUERIES, st.data())
@settings(deadline=None)
def test_a_mask_removes_documents_and_changes_nothing_else(
    texts: list[str], query: str, data: st.DataObject
) -> None:
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts))))
    index = opened(*texts)
    everything, seen = index.search(query, None, 100), index.search(query, mask, 100)
    kept = mask[everything.positions]
    assert seen.positions.tolist() == everything.positions[kept].tolist()
    assert seen.scores.tolist() == everything.scores[kept].tolist()


@given(TEXTS, QUERIES, st.integers(1, 8))
@settings(deadline=None)
def test_a_shorter_request_is_the_beginning_of_a_longer_one(
    texts: list[str], query: str, depth: int
) -> None:
    index = opened(*texts)
    assert found(index, query, depth) == found(index, query)[:depth]


@given(TEXTS)
@settings(deadline=None)
def test_an_irrelevant_document_never_removes_the_only_relevant_one(texts: list[str]) -> None:
    with_answer = [*texts, "needle seal"]
    for corpus in (with_answer, [*with_answer, "quite another matter"]):
        assert len(texts) in found(opened(*corpus), "needle seal", depth=len(corpus))


def test_an_identifier_finds_its_own_page_first() -> None:
    index = opened(
        "Replace seal KX-0417-B",
        "KX series overview, see 0417 in table B",
        "Replace seal KX-0418-B",
        language="english",
    )
    for query in ("KX-0417-B", "kx-0417-b"):
        ranking = index.search(query, None, 10)
        assert ranking.positions[0] == 0
        assert ranking.scores[0] > ranking.scores[1]
    assert set(found(index, "0417")) == {0, 1}


def test_text_without_blanks_is_found() -> None:
    assert found(opened("冷却水の温度が高い", "油圧が低い"), "冷却水") == [0]


def test_queries_are_analysed_like_documents() -> None:
    index = opened("sign-off checklist", language="english")
    assert found(index, "sign-off") == found(index, "sign off") == [0]
    assert found(index, "signoff") == []  # compounds are not joined


def test_decomposed_queries_find_composed_text() -> None:
    assert found(opened("caf\u00e9 rota"), "cafe\u0301") == [0]


def test_a_query_of_stop_words_finds_nothing_and_stop_words_change_nothing() -> None:
    index = opened("pump stalled", "coolant level low", "the of and", language="english")
    assert found(index, "to be or not to be") == []
    assert found(index, "") == []
    assert found(index, "the pump") == found(index, "pump") == [0]


def test_query_syntax_excludes_and_fails_nothing() -> None:
    index = opened("40 degrees", "valve of the operator", "title x")
    assert found(index, "pump stopped, code: {7}") == []
    assert found(index, "operator's valve") == [1]
    assert found(index, "-40 degrees") == [0]
    assert found(index, "title:x") == [2]
    assert found(index, "a/b (c") == []


def test_documents_that_match_nothing_do_not_fill_the_list() -> None:
    index = opened("err 4012 pump stalled", "pump pressure normal", "coolant level low")
    assert found(index, "coolant", depth=3) == [2]


def test_a_term_in_half_of_the_documents_still_counts() -> None:
    ranking = opened("red valve", "blue valve", "red pipe", "green tank").search("red", None, 10)
    assert ranking.positions.tolist() == [0, 2]
    assert ranking.scores.tolist() == [pytest.approx(0.693147 / 1.9, abs=1e-6)] * 2


def test_a_term_in_every_document_still_counts() -> None:
    ranking = opened("valve a", "valve b", "valve c").search("valve", None, 10)
    assert ranking.positions.tolist() == [0, 1, 2]
    assert ranking.scores.tolist() == [pytest.approx(0.133531 / 1.9, abs=1e-6)] * 3


@pytest.mark.parametrize("texts", [[""], [None], ["the of and", "a an the"]])
def test_documents_without_terms_give_empty_lists(texts: list[str | None]) -> None:
    index = opened(*texts, language="english")
    assert found(index, "pump") == []
    assert index.notes.without_terms == tuple(range(len(texts)))


def test_the_end_of_a_long_document_is_searched() -> None:
    long = "filler " * 600 + "unique needle KX-0417-B"
    assert found(opened(long, "filler"), "KX-0417-B") == [0]


def test_lists_are_sorted_not_only_selected() -> None:
    ranking = opened(*["seal " * n + "pump" for n in (1, 4, 2, 3, 6, 0, 5)]).search("seal", None, 3)
    assert ranking.scores.tolist() == sorted(ranking.scores, reverse=True)
    assert ranking.positions.tolist() == [4, 6, 1]


def test_the_order_of_words_changes_no_score() -> None:
    index = opened("red valve pump seal", "blue pump seal", "red seal")
    one, other = (index.search(q, None, 10) for q in ("red pump seal valve", "valve seal red pump"))
    assert isinstance(one, Ranking)
    assert one.scores.tolist() == other.scores.tolist()


def test_a_missing_engine_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bm25s", None)
    with pytest.raises(MissingError, match="pip install 'bm25s"):
        opened("pump", language="english")
