"""Fusion and branches where all fetch equally much."""

from typing import Any

import polars as pl
import pytest
from five_queries_study import OPENED, RRF, five_queries, parameters
from test_diagnosis import at, noise, one_query, recorded

from pipeline.evaluation import compute
from pipeline.evaluation.ablations import cut_to_one
from pipeline.fusion import Configuration


def rows(result: Any, kind: str, **which: Any) -> list[dict[str, Any]]:
    wanted = [pl.col(name) == value for name, value in {"kind": kind, **which}.items()]
    return result.equal_work.filter(pl.all_horizontal(wanted)).to_dicts()


def test_two_branches_of_depth_100_are_cut_to_50_each() -> None:
    names = ("words", "vectors")
    deep = {name: {"kind": "recorded", "run": name, "depth": 100} for name in names}
    choice = Configuration.of(
        "rrf",
        rank_constant=60,
        weights=dict.fromkeys(names, 1),
        depths={"words": 100} | {"vectors": 20},
    )
    cut = cut_to_one(choice, parameters(candidates=deep))
    # vectors is fused to 20 already, which is less than its share.
    assert dict(cut.depths) == {"vectors": 20, "words": 50}
    assert (cut.weights, cut.rank_constant) == (choice.weights, 60)


def test_never_below_one_item() -> None:
    assert dict(cut_to_one(RRF, parameters()).depths) == {"vectors": 1, "words": 1}


def test_the_cut_fusion_is_a_system_and_is_compared_with_each_branch_at_its_depth() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    # Depth 3 over two branches is 1 each: q1 has a and b, tied, so the smaller id comes first.
    q1 = result.runs.filter((pl.col("system") == "equal_work") & (pl.col("query_id") == "q1"))
    assert q1.sort("rank")["doc_id"].to_list() == ["a", "b"]
    primary = rows(result, "cut", measure="nDCG@2", split="test")
    assert [row["baseline"] for row in primary] == ["best_branch", "vectors", "words"]
    assert {(row["depth"], row["fetched"]) for row in primary} == {(3, 2)}
    words = primary[2]
    assert words["delta"] == pytest.approx(words["ours"] - words["theirs"])


def test_recall_of_what_is_fetched_at_the_summed_depth_by_hand() -> None:
    # Relevant evidence is 4th in dense. Fused 2 deep each, the fusion fetches 4 and misses it;
    # dense by itself, asked for 4, has it.
    result = one_query(
        {"dense": at(4, 8, "d"), "words": noise(8, "w")}, fused={"dense": 2, "words": 2}
    )
    dense = rows(result, "summed", baseline="dense")
    assert [(row["depth"], row["ours"], row["theirs"]) for row in dense] == [(4, 0.0, 1.0)]
    words = rows(result, "summed", baseline="words")
    assert [(row["ours"], row["theirs"]) for row in words] == [(0.0, 0.0)]


def test_a_list_that_is_not_known_so_deep_has_no_value_and_says_what_would_tell() -> None:
    lists = {"dense": at(4, 8, "d"), "words": noise(8, "w")}
    result = one_query(lists, fused={"dense": 8, "words": 8})
    (dense,) = rows(result, "summed", baseline="dense")
    assert dense["delta"] is None
    assert dense["missing"] == "dense is read to 8 only: candidates.dense.depth: 16 would tell"


def test_a_recorded_run_that_goes_deeper_tells_it() -> None:
    whole = at(12, 20, "d")
    result = one_query(
        {"dense": whole[:8], "words": noise(8, "w")},
        fused={"dense": 8, "words": 8},
        recorded={"dense": recorded(whole)},
    )
    (dense,) = rows(result, "summed", baseline="dense")
    assert (dense["depth"], dense["ours"], dense["theirs"]) == (16, 0.0, 1.0)


def test_each_branch_is_asked_for_the_other_s_depth() -> None:
    result = one_query(
        {"dense": at(4, 9, "d"), "words": noise(6, "w")}, fused={"dense": 3, "words": 3}
    )
    # words' lists end after 6 of its 6: not known to 9. dense's is known to 6, which is the sum.
    assert [(row["baseline"], row["depth"]) for row in rows(result, "other")] == [("words", 9)]


def test_after_reranking_a_deeper_branch_shows_what_it_fetched_at_the_top() -> None:
    # Wanted evidence is 4th in dense: the fusion, 2 deep each, never hands it to the reranker,
    # dense asked for 4 does, and the reranker puts it first.
    dense, words = at(4, 8, "d"), noise(8, "w")
    order = ["wanted", *words, *(name for name in dense if name != "wanted")]
    result = one_query(
        {"dense": dense, "words": words, "judge": order},
        fused={"dense": 2, "words": 2},
        rerank={"branch": "judge", "depth": 5},
    )
    (row,) = rows(result, "reranked_summed", baseline="dense")
    assert (row["measure"], row["depth"], row["ours"], row["theirs"]) == ("nDCG@5", 4, 0.0, 1.0)
    assert row["missing"] is None
    (row,) = rows(result, "reranked_summed", baseline="words")
    assert (row["ours"], row["theirs"]) == (0.0, 0.0)


def test_a_reranker_that_was_not_handed_everything_has_no_value_and_says_so() -> None:
    dense, words = at(4, 8, "d"), noise(8, "w")
    result = one_query(
        {"dense": dense, "words": words, "judge": [*dense[:2], *words[:2]]},
        fused={"dense": 2, "words": 2},
        rerank={"branch": "judge", "depth": 5},
    )
    (row,) = rows(result, "reranked_summed", baseline="dense")
    assert row["delta"] is None
    assert row["missing"] == (
        "judge ranks 2 of 4 items that it would be handed: record it on all of them"
    )


def test_without_a_reranker_nothing_is_said_of_reranking() -> None:
    result = one_query(
        {"dense": at(4, 8, "d"), "words": noise(8, "w")}, fused={"dense": 2, "words": 2}
    )
    assert not result.equal_work["kind"].str.starts_with("reranked").any()


def test_at_another_level_than_evidence_nothing_is_compared_after_reranking() -> None:
    dense, words = at(4, 8, "d"), noise(8, "w")
    result = one_query(
        {"dense": dense, "words": words, "judge": [*dense, *words]},
        fused={"dense": 2, "words": 2},
        level="source",
        rerank={"branch": "judge", "depth": 5},
    )
    (row,) = rows(result, "reranked_summed", baseline="dense")
    assert (row["delta"], row["missing"]) == (
        None,
        "what is fetched is compared after reranking at fusion.level evidence only",
    )
