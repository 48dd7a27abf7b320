"""What a generator would be handed."""

import polars as pl

from pipeline.evaluation.contexts import contexts
from pipeline.fusion import Configuration
from pipeline.params import to_params

# One evidence in two documents, found by both branches; e2 in one document.
CANDIDATES = pl.DataFrame(
    [
        ("bm25", "q", 1, "d1", "e1", "s1", 3.0),
        ("bm25", "q", 2, "d1-copy", "e1", "s1", 2.0),
        ("dense", "q", 1, "d1-copy", "e1", "s1", 0.9),
        ("dense", "q", 2, "d2", "e2", "s2", 0.8),
    ],
    schema=["branch", "query_id", "rank", "doc_id", "evidence_id", "source_id", "score"],
    orient="row",
)


def _handed(*, depth: int, representatives: int) -> list[tuple[object, ...]]:
    branches = {name: {"kind": "recorded", "run": name} for name in ("bm25", "dense")}
    params = to_params(
        {
            "study": "s",
            "collection": {"path": "c"},
            "candidates": branches,
            "fusion": {"representatives": representatives},
            "context": {"depth": depth},
        }
    )
    choice = Configuration.of(
        "rrf",
        rank_constant=60,
        weights={"bm25": 1, "dense": 1},
        depths={"bm25": 100, "dense": 100},
    )
    return contexts(choice, CANDIDATES, params).rows()


def test_one_document_stands_for_an_evidence() -> None:
    assert _handed(depth=2, representatives=1) == [("q", 1, "d1", "e1"), ("q", 2, "d2", "e2")]


def test_further_representatives_follow_their_item() -> None:
    assert _handed(depth=2, representatives=2) == [
        ("q", 1, "d1", "e1"),
        ("q", 2, "d1-copy", "e1"),
        ("q", 3, "d2", "e2"),
    ]


def test_depth_counts_items_not_documents() -> None:
    assert [row[2] for row in _handed(depth=1, representatives=2)] == ["d1", "d1-copy"]
