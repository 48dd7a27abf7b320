"""Engines' formulas on lists worked by hand, what they refuse, and their snippets.

bm25: a 10, b 6, c 2; dense: b .9, d .5. Weights .75 and .25, k = 60, unless said otherwise.
"""

import json
import sqlite3
from typing import Any, get_args

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from listing import lists

from pipeline.errors import ParameterError
from pipeline.fusion import Configuration, fuse
from pipeline.fusion.dialects import DIALECTS, unserved
from pipeline.fusion.dialects.rescoring import changes, rescored
from pipeline.params import FusionParams, SweepParams
from pipeline.systems import rank_system

LISTS = lists(bm25={"q1": {"a": 10.0, "b": 6.0, "c": 2.0}}, dense={"q1": {"b": 0.9, "d": 0.5}})
KINDS = {"bm25": "bm25", "dense": "dense"}
DOCUMENTS = FusionParams(level="document")


def configuration(method: str = "rrf", **changed: Any) -> Configuration:
    """Weights .75 and .25, depth 100; k = 60 for RRF."""
    given: dict[str, Any] = {
        "weights": {"bm25": 0.75, "dense": 0.25},
        "depths": {"bm25": 100, "dense": 100},
    }
    return Configuration.of(method, **{**given, **changed})


def scores(engine: str, one: Configuration, candidates: pl.DataFrame = LISTS) -> dict[str, float]:
    """Document to score, in the engine's order."""
    ranked = rescored(engine, one, candidates, DOCUMENTS)
    return dict(ranked.select("doc_id", "score").iter_rows())


def test_every_engine_can_be_a_target() -> None:
    known = get_args(SweepParams.model_fields["target"].annotation)
    assert set(known) == {"any", *DIALECTS}


@pytest.mark.parametrize("engine", ["elasticsearch", "opensearch", "pgvector"])
def test_weighted_rrf_as_in_the_paper(engine: str) -> None:
    found = scores(engine, configuration())
    assert found == pytest.approx(
        {"b": 0.75 / 62 + 0.25 / 61, "a": 0.75 / 61, "c": 0.75 / 63, "d": 0.25 / 62}
    )
    assert list(found) == ["b", "a", "c", "d"]


def test_milvus_has_rrf_without_weights() -> None:
    even = configuration(weights={"bm25": 1, "dense": 1})
    assert scores("milvus", even)["b"] == pytest.approx(0.5 / 62 + 0.5 / 61)
    assert "weights" in unserved("milvus", configuration())[0]


def test_qdrant_divides_the_rank_by_the_weight() -> None:
    """Weights of mean 1: 1.5 and .5; k = 61, so k - 1 = 60. 1 / (2 / 1.5 + 60) and so on."""
    found = scores("qdrant", configuration())
    assert found == pytest.approx(
        {
            "b": 1 / (2 / 1.5 + 60) + 1 / (1 / 0.5 + 60),
            "a": 1 / (1 / 1.5 + 60),
            "c": 1 / (3 / 1.5 + 60),
            "d": 1 / (2 / 0.5 + 60),
        }
    )


def test_qdrant_with_equal_weights_is_rrf_with_a_constant_one_less() -> None:
    """Its own test: k = 2, first of a list alone: 1 / (0 + 2)."""
    one = configuration(rank_constant=1, weights={"bm25": 1, "dense": 1})
    assert scores("qdrant", one)["a"] == pytest.approx(0.5)
    assert json.loads(DIALECTS["qdrant"].snippet(one, KINDS, 10))["query"] == {"rrf": {"k": 2}}


def test_weaviate_counts_places_from_0_and_has_one_constant() -> None:
    assert scores("weaviate", configuration())["a"] == pytest.approx(0.75 / 60)
    assert "rank constant 20" in unserved("weaviate", configuration(rank_constant=20))[0]
    three = Configuration.of(
        "rrf", weights=dict.fromkeys("abc", 1), depths=dict.fromkeys("abc", 100)
    )
    assert "it fuses two" in unserved("weaviate", three)[0]


@pytest.mark.parametrize("engine", ["elasticsearch", "weaviate"])
def test_min_max_combination(engine: str) -> None:
    """bm25: 1, .5, 0; dense: 1, 0."""
    found = scores(engine, configuration("convex_minmax"))
    assert found == pytest.approx({"a": 0.75, "b": 0.75 * 0.5 + 0.25, "c": 0, "d": 0})


def test_opensearch_lifts_the_lowest_of_a_list() -> None:
    found = scores("opensearch", configuration("convex_minmax"))
    assert found == pytest.approx({"a": 0.75, "b": 0.625, "c": 0.75 * 0.001, "d": 0.25 * 0.001})


@pytest.mark.parametrize(
    ("engine", "lowest"), [("elasticsearch", 0), ("weaviate", 0), ("opensearch", 0.75 * 0.001)]
)
def test_a_list_of_one_item_gives_it_the_whole_weight(engine: str, lowest: float) -> None:
    one = lists(bm25={"q1": {"a": 10.0, "b": 6.0}}, dense={"q1": {"b": 0.9}})
    found = scores(engine, configuration("convex_minmax"), one)
    assert found["b"] == pytest.approx(lowest + 0.25)


@pytest.mark.parametrize(
    ("engine", "one", "said"),
    [
        ("elasticsearch", configuration("isr"), "method isr, and it fuses by rrf, convex_minmax"),
        ("elasticsearch", configuration(rank_constant=1.5), "rank constant 1.5 is not whole"),
        (
            "opensearch",
            configuration(depths={"bm25": 50, "dense": 100}),
            "depths of branches differ (bm25 50, dense 100), and it cuts all lists alike",
        ),
        ("opensearch", configuration(rank_constant=20_000), "rank constant 20000 is above 10000"),
        ("qdrant", configuration("convex_minmax"), "method convex_minmax, and it fuses by rrf"),
    ],
)
def test_what_an_engine_cannot_serve_is_named(engine: str, one: Configuration, said: str) -> None:
    assert unserved(engine, one) == [said]
    with pytest.raises(ParameterError, match=r"cannot serve this configuration"):
        rescored(engine, one, LISTS, DOCUMENTS)


def test_no_engine_ranks_what_a_list_lacks() -> None:
    assert "past_depth" in unserved("pgvector", configuration(), missing="past_depth")[0]


def test_an_engine_fuses_documents_and_evidence_is_collapsed_afterwards() -> None:
    """a1 and a2 carry a: ours sees a once in each list; theirs adds nothing between documents."""
    twins = {"a1": "a", "a2": "a"}
    candidates = lists(twins, bm25={"q1": ["a1", "b"]}, dense={"q1": ["a2", "c"]})
    even = configuration(weights={"bm25": 1, "dense": 1})
    ours = rank_system(even, candidates, FusionParams())
    theirs = rescored("pgvector", even, candidates, FusionParams())
    assert ours["score"][0] == pytest.approx(2 * 0.5 / 61)
    assert theirs["score"][0] == pytest.approx(0.5 / 61)
    assert theirs["evidence_id"].to_list() == ["a", "b", "c"]
    assert theirs["rank"].to_list() == [1, 2, 3]


def test_changes_are_counted_by_items_and_by_order() -> None:
    ours = pl.DataFrame(
        {
            "query_id": ["q", "q", "r", "s"],
            "rank": [1, 2, 1, 1],
            "evidence_id": ["a", "b", "c", "d"],
        }
    )
    theirs = pl.DataFrame(
        {
            "query_id": ["q", "q", "r", "s"],
            "rank": [1, 2, 1, 1],
            "evidence_id": ["b", "a", "x", "d"],
        }
    )
    found = changes(ours, theirs, depth=2)
    assert (found.queries, found.sets, found.orders) == (3, 1, 1)


SNIPPETS = [
    (engine, method)
    for engine, dialect in DIALECTS.items()
    for method in dialect.methods
    if engine not in {"pgvector", "weaviate"}
]


@pytest.mark.parametrize(("engine", "method"), SNIPPETS)
def test_a_snippet_is_json_with_every_branch(engine: str, method: str) -> None:
    even = configuration(method, weights={"bm25": 1, "dense": 1})
    text = DIALECTS[engine].snippet(even, KINDS, 5)
    json.loads(text)
    assert all(name in text for name in KINDS)


def test_elasticsearch_says_weights_and_window() -> None:
    rrf = json.loads(DIALECTS["elasticsearch"].snippet(configuration(), KINDS, 5))["retriever"][
        "rrf"
    ]
    assert [one["weight"] for one in rrf["retrievers"]] == [0.75, 0.25]
    assert (rrf["rank_constant"], rrf["rank_window_size"]) == (60, 100)


def test_weaviates_alpha_is_the_weight_of_the_vectors() -> None:
    text = DIALECTS["weaviate"].snippet(configuration(), KINDS, 5)
    assert "alpha: 0.25, fusionType: rankedFusion" in text


@settings(max_examples=25)
@given(st.permutations("abcde"), st.permutations("abcde"), st.sampled_from([1, 20, 60]))
def test_the_sql_does_what_fusion_does(first: list[str], second: list[str], k: int) -> None:
    """Run in SQLite, whose window functions agree, on lists in place of searches."""
    one = configuration(rank_constant=k)
    text = DIALECTS["pgvector"].snippet(one, {"bm25": "dense", "dense": "dense"}, 5)
    text = text.replace("embedding <=> :query_vector", "place")
    for number in (1, 2):
        text = text.replace("FROM documents", f"FROM list_{number}", 1)
    database = sqlite3.connect(":memory:")
    for number, listed in enumerate((first, second), start=1):
        database.execute(f"CREATE TABLE list_{number} (id TEXT, place INTEGER)")
        rows = [(name, place) for place, name in enumerate(listed)]
        database.executemany(f"INSERT INTO list_{number} VALUES (?, ?)", rows)
    found = dict(database.execute(text).fetchall())
    database.close()
    candidates = lists(bm25={"q1": first}, dense={"q1": second})
    fused = fuse(candidates, one.contract(DOCUMENTS))
    assert found == pytest.approx(dict(fused.select("doc_id", "score").iter_rows()))
