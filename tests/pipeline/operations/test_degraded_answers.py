"""What is left when a branch of the selected configuration is out."""

import polars as pl
import pytest
from hypothesis import given, settings

from pipeline.fusion import Configuration
from pipeline.operations.answering import answer, out_of_order, unanswered
from pipeline.operations.shares import Share
from pipeline.params import FusionParams
from tests.rows import candidates
from tests.strategies import candidates as any_candidates

FUSION = FusionParams()


def configuration(method="rrf", **weights):
    constant = 60 if method == "rrf" else None
    return Configuration.of(
        method, rank_constant=constant, weights=weights, depths=dict.fromkeys(weights, 100)
    )


def share(lists, **weights):
    return Share(configuration(**weights), lists.select("query_id").unique().sort("query_id"))


def out(lists, *branches):
    asked = lists.select("query_id").unique()
    return pl.concat(
        [asked.select(pl.lit(name).alias("branch"), "query_id") for name in ("nobody", *branches)]
    )


def without(lists, *branches):
    return lists.filter(~pl.col("branch").is_in(branches))


def ranked(one, lists, *branches):
    return answer([one], without(lists, *branches), out(lists, *branches), FUSION)


def test_weights_of_the_others_are_scaled_up():
    lists = candidates({("bm25", "q1"): ["a"], ("dense", "q1"): ["a"], ("graph", "q1"): ["a"]})
    whole = share(lists, bm25=0.2, dense=0.2, graph=0.6)
    assert ranked(whole, lists)["score"].to_list() == pytest.approx([1 / 61])
    assert ranked(whole, lists, "graph")["score"].to_list() == pytest.approx([1 / 61])


def test_none_left_answers_nothing():
    lists = candidates({("bm25", "q1"): ["a"]})
    assert ranked(share(lists, bm25=1.0), lists, "bm25").is_empty()


def test_the_list_of_the_remaining_branch_by_hand():
    lists = candidates({("bm25", "q1"): ["a", "b"], ("dense", "q1"): ["c", "b"]})
    one = share(lists, bm25=0.5, dense=0.5)
    assert ranked(one, lists)["doc_id"][0] == "b"
    assert ranked(one, lists, "bm25")["doc_id"].to_list() == ["c", "b"]
    assert ranked(one, lists, "dense")["doc_id"].to_list() == ["a", "b"]


def test_each_query_is_answered_from_the_branches_that_are_left_for_it():
    lists = candidates(
        {(branch, query): [branch] for branch in ("bm25", "dense") for query in ("q1", "q2")}
    )
    gone = pl.DataFrame({"branch": ["bm25"], "query_id": ["q2"]})
    run = answer(
        [share(lists, bm25=0.5, dense=0.5)],
        lists.join(gone, on=["branch", "query_id"], how="anti"),
        gone,
        FUSION,
    )
    assert run.select("query_id", "doc_id").rows() == [
        ("q1", "bm25"),
        ("q1", "dense"),
        ("q2", "dense"),
    ]


@pytest.mark.parametrize("method", ["rrf", "convex_minmax", "combmnz", "borda"])
@settings(max_examples=25)
@given(lists=any_candidates(branches=("bm25", "dense")))
def test_one_branch_left_keeps_its_order_whatever_the_method(lists, method):
    asked = lists.select("query_id").unique().sort("query_id")
    one = Share(configuration(method, bm25=0.5, dense=0.5), asked)
    for gone in ("bm25", "dense"):
        left = without(lists, gone)
        run = ranked(one, lists, gone)
        assert out_of_order([one], left, run, FUSION) == (left["query_id"].n_unique(), [])
        assert unanswered([one], left, run) == []


@settings(max_examples=25)
@given(lists=any_candidates(branches=("bm25", "dense")))
def test_one_branch_with_a_list_keeps_its_order_though_nobody_knows_the_other_is_out(lists):
    asked = lists.select("query_id").unique().sort("query_id")
    one = Share(configuration("convex_minmax", bm25=0.3, dense=0.7), asked)
    left = without(lists, "dense")
    run = answer([one], left, out(lists).clear(), FUSION)
    assert out_of_order([one], left, run, FUSION)[1] == []


def test_an_order_that_is_not_kept_is_reported():
    lists = candidates({("bm25", "q1"): ["a", "b"], ("dense", "q1"): ["c"]})
    one = share(lists, bm25=0.5, dense=0.5)
    left = without(lists, "dense")
    turned = ranked(one, lists, "dense").with_columns(rank=3 - pl.col("rank"))
    assert out_of_order([one], left, turned, FUSION) == (1, ["q1"])
    assert unanswered([one], left, turned.clear()) == ["q1"]
