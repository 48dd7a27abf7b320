"""Exact search over vectors, and the encoders that make them."""

import logging
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pipeline.candidates import open_branch
from pipeline.candidates.dense import DenseRetriever
from pipeline.candidates.encoders.lsa import LsaEncoder
from pipeline.candidates.encoders.precomputed import PrecomputedEncoder
from pipeline.candidates.encoders.static import StaticEncoder
from pipeline.candidates.manifest import engine_of
from pipeline.candidates.retriever import Notes
from pipeline.errors import InputError, MissingError
from pipeline.params import DenseBranch
from pipeline.recorded import Vectors
from pipeline.tables import VECTORS
from tests.rows import documents, queries

MATRICES = arrays(
    np.float32, st.tuples(st.integers(1, 6), st.just(3)), elements=st.integers(-3, 3).map(float)
)


def frame(vectors: Mapping[str, Sequence[float]]) -> pl.DataFrame:
    rows = {"id": list(vectors), "vector": [list(v) for v in vectors.values()]}
    return VECTORS.check(pl.DataFrame(rows, schema=dict(VECTORS.columns)))


def precomputed(
    docs: Mapping[str, Sequence[float]],
    asked: Mapping[str, Sequence[float]],
    *,
    ids: Sequence[str] | None = None,
    similarity: str = "cosine",
) -> DenseRetriever:
    vectors = Vectors(frame(docs), frame(asked))
    return DenseRetriever(
        PrecomputedEncoder(ids or sorted(docs), vectors, where="mini"), similarity
    )


@given(MATRICES, arrays(np.float32, 3, elements=st.integers(-3, 3).map(float)))
@settings(deadline=None)
def test_lists_are_those_of_comparing_every_document(
    matrix: np.ndarray[Any, Any], query: np.ndarray[Any, Any]
) -> None:
    ids = [f"d{i}" for i in range(len(matrix))]
    held = dict(zip(ids, matrix.tolist(), strict=True))
    ranking = precomputed(held, {"q": query.tolist()}).search("q", None, 10)
    cosines = {
        i: float(f"{row @ query / (np.linalg.norm(row) * np.linalg.norm(query)):.5e}")
        for i, row in enumerate(matrix.astype(np.float64))
        if row.any() and query.any()
    }
    expected = sorted(cosines, key=lambda i: (-cosines[i], i))
    assert sorted(ranking.positions) == sorted(expected)
    assert ranking.scores.tolist() == pytest.approx([cosines[i] for i in expected], abs=2e-6)


def test_equal_scores_go_to_the_smaller_id() -> None:
    search = precomputed({"b": [1, 0], "a": [2, 0], "c": [0, 1]}, {"q": [1, 0]})
    assert search.search("q", None, 3).positions.tolist() == [0, 1, 2]


def test_the_best_few_come_out_sorted_and_not_only_selected() -> None:
    scores = [0.2, 0.8, 0.4, 0.6, 0.95, 0.1, 0.5, 0.3]
    docs = {f"d{i}": [score] for i, score in enumerate(scores)}
    ranking = precomputed(docs, {"q": [1.0]}, similarity="dot").search("q", None, 3)
    assert ranking.positions.tolist() == [4, 1, 3]
    assert ranking.scores.tolist() == pytest.approx([0.95, 0.8, 0.6])


def test_a_longer_vector_wins_by_dot_and_not_by_cosine() -> None:
    docs, asked = {"a": [1.0, 0.0], "b": [3.0, 1.0]}, {"q": [1.0, 0.0]}
    assert precomputed(docs, asked).search("q", None, 1).positions.tolist() == [0]
    by_dot = precomputed(docs, asked, similarity="dot")
    assert by_dot.search("q", None, 1).positions.tolist() == [1]


def test_a_document_without_a_vector_is_not_returned_and_noted() -> None:
    search = precomputed({"a": [1, 0]}, {"q": [1, 0]}, ids=["a", "b"])
    assert search.search("q", None, 5).positions.tolist() == [0]
    assert search.notes.absent == 1


def test_a_query_without_a_vector_is_not_known() -> None:
    search = precomputed({"a": [1, 0]}, {"q": [1, 0]})
    assert search.knows("q")
    assert not search.knows("other")


def test_vectors_of_unknown_documents_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"vectors mini\.documents.*ghost"):
        precomputed({"a": [1, 0], "ghost": [0, 1]}, {"q": [1, 0]}, ids=["a"])


def test_vectors_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError, match="found 2, 3"):
        precomputed({"a": [1, 0]}, {"q": [1, 0, 0]})


def test_vectors_that_are_no_numbers_are_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"vectors mini\.queries.*found q"):
        precomputed({"a": [1, 0]}, {"q": [float("nan"), 0]})


def test_static_vectors_bring_a_paraphrase_before_another_matter() -> None:
    docs = documents(
        {"a": "The car would not start in the cold.", "b": "Bake the bread for one hour.", "c": ""}
    )
    search = open_branch(DenseBranch(kind="dense"), docs)
    ranking = search.search("automobile engine fails in winter", None, 10)
    assert ranking.positions.tolist() == [0, 1]
    assert search.notes.without_terms == (2,)


def test_a_static_vector_does_not_depend_on_its_neighbours() -> None:
    alone = StaticEncoder(["pump seal"]).documents
    among = StaticEncoder(["pump seal", "a far longer text about quite another matter"]).documents
    assert alone[0].tobytes() == among[0].tobytes()


def test_a_long_document_is_not_silently_a_short_one() -> None:
    long = "filler " * 600
    encoder = StaticEncoder([long + "unique needle KX-0417-B", long])
    assert encoder.notes.truncated == 0
    assert encoder.notes.limit is None
    assert encoder.documents[0].tobytes() != encoder.documents[1].tobytes()


def test_loading_the_static_model_leaves_logging_alone() -> None:
    level, handlers = logging.getLogger().level, list(logging.getLogger().handlers)
    StaticEncoder(["pump"])
    assert (logging.getLogger().level, logging.getLogger().handlers) == (level, handlers)


def test_a_missing_model_is_named_with_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wordllama", None)
    with pytest.raises(MissingError, match="pip install 'wordllama"):
        StaticEncoder(["pump"])


def test_lsa_keeps_no_more_dimensions_than_there_are_documents() -> None:
    texts = ["pump seal", "red valve", ""]
    encoder = LsaEncoder(texts, dimensions=200, seed=7)
    assert encoder.documents.shape[1] <= len(texts)
    assert encoder.notes.without_terms == (2,)
    assert not encoder.encode(["absent"]).any()


def test_lsa_over_one_term_finds_the_documents_that_hold_it() -> None:
    search = DenseRetriever(LsaEncoder(["pump", "", "pump pump"], dimensions=5, seed=7), "cosine")
    assert search.search("a pump", None, 5).positions.tolist() == [0, 2]
    assert len(search.search("valve", None, 5)) == 0


def test_lsa_over_one_document_finds_it() -> None:
    search = DenseRetriever(LsaEncoder(["valve pump"], dimensions=5, seed=7), "cosine")
    assert search.search("pump", None, 5).positions.tolist() == [0]


def test_lsa_over_documents_without_terms_finds_nothing() -> None:
    search = DenseRetriever(LsaEncoder(["", "  "], dimensions=5, seed=7), "cosine")
    assert len(search.search("pump", None, 5)) == 0


@dataclass
class Cutting:
    """An encoder with a limit of 512 tokens that met one document of 1,206."""

    reads: str = "text"
    documents: np.ndarray[Any, Any] = field(default_factory=lambda: np.eye(2))
    notes: Notes = field(
        default_factory=lambda: Notes(2, 0, (), 1207, 1206, truncated=1, tokens_lost=694, limit=512)
    )
    index_digest: str = "index"
    model_digest: str | None = "model"
    contract: Mapping[str, Any] = field(default_factory=dict)

    def knows(self, query: str) -> bool:
        return True

    def encode(self, queries: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.eye(2)[: len(queries)]


def test_a_document_cut_at_the_models_limit_is_reported() -> None:
    said = engine_of(
        DenseRetriever(Cutting(), "cosine"),
        documents=documents({"a": "long", "b": "short"}),
        queries=queries({"q": "long"}),
        depth=10,
    )
    assert said["warnings"] == [
        "1 of 2 documents truncated at the model limit of 512 tokens, 694 tokens lost"
    ]
