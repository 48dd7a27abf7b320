"""The stage candidates: lists under eligibility, states of queries, the manifest."""

import json
import sys
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.candidates import BranchResult, compute, open_branch
from pipeline.candidates.retriever import is_prefix
from pipeline.errors import ContractError, InputError, MissingError, ParameterError
from pipeline.fusion import Configuration, Contract, fuse
from pipeline.params import Bm25Branch
from pipeline.recorded import RecordedRun, Vectors
from pipeline.storage import to_json
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN, VECTORS
from tests.rows import documents, params, queries, table

LEXICAL = {"kind": "bm25", "language": "english"}
DOCUMENTS = documents({"d1": "red valve", "d2": "blue valve", "d3": "pump seal"})


def recorded(lists: dict[str, list[tuple[str, float]]], **states: str) -> RecordedRun:
    results = [
        {"query_id": q, "position": i, "rank": i, "doc_id": doc_id, "score": score}
        for q, found in lists.items()
        for i, (doc_id, score) in enumerate(found, start=1)
    ]
    said = [{"query_id": q, "status": states.get(q, "ok")} for q in {**lists, **states}]
    return RecordedRun(table(RECORDED_RUN, results), table(RECORDED_QUERIES, said))


def run(branch: dict[str, Any], **inputs: Any) -> BranchResult:
    given = {"documents": DOCUMENTS, "queries": queries({"q": "valve"})} | inputs
    return compute(branch="one", params=params({"one": branch}), **given)


def lists(result: BranchResult) -> dict[str, list[str]]:
    grouped = result.candidates.group_by("query_id", maintain_order=True).agg("doc_id")
    return dict(grouped.iter_rows())


def states(result: BranchResult) -> dict[str, str]:
    return dict(result.queries.select("query_id", "status").iter_rows())


def test_every_query_has_a_state() -> None:
    docs = documents({"d1": "red valve", "d2": "blue valve"}, tenant={"d1": "acme", "d2": "acme"})
    asked = queries(
        {"ok": "valve", "empty": "pump", "filtered": "valve", "missing": None, "blank": ""},
        tenant=dict.fromkeys(["ok", "empty", "missing", "blank"], "acme"),
    )
    result = run(LEXICAL, documents=docs, queries=asked)
    assert states(result) == {
        "blank": "empty",
        "empty": "empty",
        "filtered": "filtered",
        "missing": "missing",
        "ok": "ok",
    }
    assert result.queries.filter(query_id="ok").row(0) == ("ok", "ok", 2, 2, "tenant=acme")
    assert result.queries.filter(query_id="filtered")["eligible"].item() == 0


def test_documents_are_excluded_before_ranks_are_given() -> None:
    docs = documents(
        {"a": "b b filler", "b": "b filler filler", "x": "b b b"}, groups={"x": ["staff"]}
    )
    lexical = run({"kind": "bm25", "language": "none"}, documents=docs, queries=queries({"q": "b"}))
    vectors = Vectors(
        table(VECTORS, [{"id": i, "vector": v} for i, v in {"a": [0.5, 0.5], "b": [1, 0]}.items()]),
        table(VECTORS, [{"id": "q", "vector": [1.0, 0.0]}]),
    )
    dense = run(
        {"kind": "dense", "encoder": "precomputed", "vectors": "mini"},
        documents=docs,
        queries=queries({"q": "b"}),
        vectors=vectors,
    )
    assert lists(lexical) == {"q": ["a", "b"]}
    assert lists(dense) == {"q": ["b", "a"]}
    both = pl.concat(
        [
            frame.candidates.select(pl.lit(name).alias("branch"), pl.all())
            for name, frame in {"bm25": lexical, "dense": dense}.items()
        ]
    )
    study = params({"bm25": LEXICAL, "dense": {"kind": "dense"}})
    even = Configuration.of(
        "rrf", rank_constant=60, weights={"bm25": 1, "dense": 1}, depths={"bm25": 9, "dense": 9}
    )
    fused = fuse(both, even.contract(study.fusion))
    assert fused["doc_id"].to_list() == ["a", "b"]
    assert fused["score"].to_list() == pytest.approx([(1 / 61 + 1 / 62) / 2] * 2)


def fused_with_bm25(
    texts: dict[str, str], asked: dict[str, str], dense: dict[str, list[str]]
) -> dict[str, dict[str, float]]:
    """Query to document to unweighted RRF score (k = 60), of bm25 and a recorded branch."""
    docs, questions = documents(texts), queries(asked)
    ranked = recorded(
        {q: [(name, -i) for i, name in enumerate(found)] for q, found in dense.items()}
    )
    branches = {
        "bm25": run(LEXICAL, documents=docs, queries=questions),
        "dense": run(
            {"kind": "recorded", "run": "mine"}, documents=docs, queries=questions, run=ranked
        ),
    }
    assert all(branch.queries.height == len(asked) for branch in branches.values())
    both = pl.concat(
        frame.candidates.select(pl.lit(name).alias("branch"), pl.all())
        for name, frame in branches.items()
    )
    weights, depths = dict.fromkeys(branches, 1), dict.fromkeys(branches, 9)
    found = fuse(both, Contract.of("rrf", weights=weights, depths=depths))
    return {
        query: {row["doc_id"]: 2 * row["score"] for row in found.filter(query_id=query).to_dicts()}
        for query in asked
    }


def test_documents_that_match_no_word_do_not_drown_the_one_that_does() -> None:
    # Filled up to three in index order, d1 would come level with d3.
    texts = {
        "d1": "err 4012 pump stalled", "d2": "pump pressure normal", "d3": "coolant level low"
    }  # fmt: skip
    found = fused_with_bm25(texts, {"q": "coolant"}, {"q": ["d1", "d2", "d3"]})["q"]
    assert list(found) == ["d3", "d1", "d2"]
    assert list(found.values()) == pytest.approx([0.032266, 0.016393, 0.016129], abs=5e-7)


def test_a_query_of_stop_words_or_nothing_is_answered_by_the_other_branches() -> None:
    texts = {"d1": "pump stalled", "d2": "coolant level low", "d3": "the of and"}
    asked = {"q1": "to be or not to be", "q2": "", "q3": "the pump"}
    found = fused_with_bm25(texts, asked, {query: ["d2", "d1"] for query in asked})
    assert list(found["q1"]) == list(found["q2"]) == ["d2", "d1"]
    assert list(found["q3"]) == ["d1", "d2"]


@given(st.lists(st.sampled_from([None, "acme", "globex"]), min_size=1, max_size=6))
@settings(deadline=None, max_examples=30)
def test_a_tenant_filter_removes_every_other_tenants_documents(tenants: list[str | None]) -> None:
    ids = [f"d{i}" for i in range(len(tenants))]
    owned = {i: t for i, t in zip(ids, tenants, strict=True) if t}
    docs = documents(dict.fromkeys(ids, "valve"), tenant=owned)
    asked = queries({"acme": "valve", "nobody": "valve"}, tenant={"acme": "acme"})
    result = lists(run(LEXICAL, documents=docs, queries=asked))
    assert result.get("acme", []) == [i for i in ids if owned.get(i, "acme") == "acme"]
    assert result.get("nobody", []) == [i for i in ids if i not in owned]


def test_the_same_lists_for_shuffled_rows() -> None:
    asked = queries({"q1": "valve", "q2": "seal pump"})
    shuffled = run(LEXICAL, documents=DOCUMENTS.reverse(), queries=asked.reverse())
    straight = run(LEXICAL, queries=asked)
    assert shuffled.candidates.equals(straight.candidates)
    assert shuffled.queries.equals(straight.queries)
    assert shuffled.manifest == straight.manifest


def test_a_recorded_list_is_taken_as_it_is() -> None:
    docs = documents({"d1": "", "d2": ""}, tenant={"d2": "acme"})
    ranked = recorded({"q": [("d2", 2.0), ("d1", 1.0)]})
    result = run({"kind": "recorded", "run": "mine"}, documents=docs, run=ranked)
    assert lists(result) == {"q": ["d2", "d1"]}
    assert result.queries.row(0) == ("q", "ok", 2, None, None)


def test_a_recorded_list_is_cut_to_the_branchs_depth() -> None:
    ranked = recorded({"q": [("d1", 3.0), ("d2", 2.0), ("d3", 1.0)]})
    result = run({"kind": "recorded", "run": "mine", "depth": 2}, run=ranked)
    assert lists(result) == {"q": ["d1", "d2"]}


def test_states_of_recorded_queries_stay_apart() -> None:
    names = ["absent", "empty", "error", "full", "partial", "timeout"]
    ranked = recorded(
        {"full": [("d1", 1.0)], "partial": [("d2", 1.0)]},
        empty="ok",
        error="error",
        partial="partial",
        timeout="timeout",
    )
    asked = queries(dict.fromkeys(names))
    result = run({"kind": "recorded", "run": "mine"}, run=ranked, queries=asked)
    expected = ["missing", "empty", "error", "ok", "partial", "timeout"]
    assert states(result) == dict(zip(names, expected, strict=True))


def test_a_recorded_document_outside_the_collection_is_named() -> None:
    with pytest.raises(ContractError, match=r"candidates.one, runs/mine.*ghost"):
        run({"kind": "recorded", "run": "mine"}, run=recorded({"q": [("ghost", 1.0)]}))


def test_queries_only_a_recorded_run_knows_are_left_out_and_told() -> None:
    ranked = recorded({"q": [("d1", 1.0)], "other": [("d1", 1.0)]})
    result = run({"kind": "recorded", "run": "mine"}, run=ranked)
    assert lists(result) == {"q": ["d1"]}
    assert result.summary["warnings"] == [
        "the run also answers 1 queries that are not in the collection"
    ]


def test_a_missing_run_is_named() -> None:
    with pytest.raises(MissingError, match=r"branch one.*runs/mine"):
        run({"kind": "recorded", "run": "mine"})


def test_missing_vectors_are_named() -> None:
    with pytest.raises(MissingError, match=r"branch one.*vectors/mini"):
        run({"kind": "dense", "encoder": "precomputed", "vectors": "mini"})


def test_a_branch_that_reads_text_is_named_where_there_is_none() -> None:
    with pytest.raises(InputError, match=r"branch one.*neither title nor text"):
        run(LEXICAL, documents=documents({"d1": None}))
    with pytest.raises(InputError, match=r"branch one.*no query"):
        run(LEXICAL, queries=queries({"q": None}))


def test_an_empty_corpus_is_refused() -> None:
    with pytest.raises(InputError, match="no documents"):
        run(LEXICAL, documents=DOCUMENTS.clear())


def test_no_queries_give_empty_tables() -> None:
    result = run(LEXICAL, queries=queries({}))
    assert (result.candidates.height, result.queries.height) == (0, 0)


def test_an_undeclared_branch_is_refused() -> None:
    with pytest.raises(ParameterError, match="found two"):
        compute(
            documents=DOCUMENTS,
            queries=queries({}),
            branch="two",
            params=params({"one": LEXICAL}),
        )


def test_documents_without_terms_are_told() -> None:
    result = run(LEXICAL, documents=documents({"d1": ""}))
    assert states(result) == {"q": "empty"}
    assert result.manifest["warnings"] == ["no indexable tokens (1 of 1 documents)"]


def test_documents_of_stop_words_alone_are_told_and_never_found() -> None:
    dull = documents({"d1": "the of and", "d2": "a an the"})
    asked = queries({"q1": "the of", "q2": "valve"})
    result = run(LEXICAL, documents=dull, queries=asked)
    assert states(result) == {"q1": "empty", "q2": "empty"}
    assert result.manifest["warnings"] == ["no indexable tokens (2 of 2 documents)"]


WORDS = st.lists(st.sampled_from(["valve", "pump", "seal", "red", "the"]), max_size=5).map(" ".join)


@given(st.lists(WORDS, min_size=1, max_size=8), WORDS)
@settings(deadline=None, max_examples=15)
def test_scores_never_rise_along_a_list(texts: list[str], query: str) -> None:
    docs = documents({f"d{place}": text for place, text in enumerate(texts)})
    for branch in (LEXICAL, {"kind": "dense", "encoder": "lsa"}):
        found = run(branch, documents=docs, queries=queries({"q": query})).candidates
        assert found["rank"].to_list() == list(range(1, found.height + 1))
        assert found["score"].to_list() == sorted(found["score"], reverse=True)


def test_the_title_is_searched_too() -> None:
    docs = documents({"d1": "nothing", "d2": None}, title={"d2": "valve"})
    assert lists(run(LEXICAL, documents=docs)) == {"q": ["d2"]}


def test_the_manifest_is_whole_and_its_digest_follows_parameters_and_documents() -> None:
    manifest = run(LEXICAL).manifest
    assert json.loads(to_json(manifest))["contract"]["analyzer"]["language"] == "english"
    assert manifest["prefix"] == {"queries": 1, "holds": True}
    others = [
        run({**LEXICAL, "k1": 1.2}),
        run(LEXICAL, documents=DOCUMENTS.with_columns(text=pl.col("text") + "!")),
    ]
    digests = {manifest["contract_digest"], *(o.manifest["contract_digest"] for o in others)}
    assert len(digests) == 3


def test_an_opened_branch_searches_for_whoever_measures_time() -> None:
    search = open_branch(Bm25Branch(kind="bm25"), DOCUMENTS)
    assert search.search("valve", None, 1).positions.tolist() == [0]
    assert is_prefix(search, ["valve", "seal"], None, 3)


def test_an_unknown_language_is_refused_under_its_key() -> None:
    wrong = params({"words": {"kind": "bm25", "language": "klingon"}})
    with pytest.raises(ParameterError, match=r"^candidates\.words\.language: .*klingon"):
        compute(
            documents=documents({"d1": "one"}),
            queries=queries({"q1": "one"}),
            branch="words",
            params=wrong,
        )


@pytest.mark.parametrize(
    ("package", "branch"),
    [("wordllama", {"kind": "dense", "encoder": "static"}), ("bm25s", LEXICAL)],
)
def test_a_model_or_engine_that_cannot_be_had_is_told_under_its_branch(
    package: str, branch: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingError, match=rf"^candidates\.one: .*{package}.* Next: pip install"):
        run(branch)
