"""What is left when a branch of the selected configuration is out."""

import pytest
from hypothesis import given

from pipeline.fusion import Configuration
from pipeline.operations.dropout import Share, answer, out_of_order, remaining
from pipeline.params import FusionParams
from tests.rows import candidates
from tests.strategies import candidates as any_candidates

FUSION = FusionParams()


def configuration(method="rrf", **weights):
    constant = 60 if method == "rrf" else None
    return Configuration.of(
        method, rank_constant=constant, weights=weights, depths=dict.fromkeys(weights, 100)
    )


def test_weights_of_the_others_are_scaled_up():
    left = remaining(configuration(bm25=0.2, dense=0.2, graph=0.6), "graph")
    assert left is not None
    assert dict(left.weights) == {"bm25": 0.5, "dense": 0.5}
    assert (left.method, left.rank_constant) == ("rrf", 60)


def test_one_branch_left_is_that_branch():
    left = remaining(configuration(bm25=0.2, dense=0.8), "dense")
    assert left == Configuration.of("branch", weights={"bm25": 1}, depths={"bm25": 100})


def test_none_left_answers_nothing():
    lists = candidates({("bm25", "q1"): ["a"]})
    assert remaining(configuration(bm25=1.0), "bm25") is None
    assert answer([Share(configuration(bm25=1.0), lists)], FUSION, out="bm25").is_empty()


def test_a_branch_that_takes_no_part_is_not_missed():
    whole = configuration(bm25=0.5, dense=0.5)
    assert remaining(whole, "graph") == whole


def test_the_list_of_the_remaining_branch_by_hand():
    lists = candidates({("bm25", "q1"): ["a", "b"], ("dense", "q1"): ["c", "b"]})
    share = Share(configuration(bm25=0.5, dense=0.5), lists)
    assert answer([share], FUSION)["doc_id"][0] == "b"
    assert answer([share], FUSION, out="bm25")["doc_id"].to_list() == ["c", "b"]
    assert answer([share], FUSION, out="dense")["doc_id"].to_list() == ["a", "b"]


@pytest.mark.parametrize("method", ["rrf", "convex_minmax", "combmnz", "borda"])
@given(lists=any_candidates(branches=("bm25", "dense")))
def test_one_branch_left_keeps_its_order_whatever_the_method(lists, method):
    share = Share(configuration(method, bm25=0.5, dense=0.5), lists)
    assert out_of_order([share], FUSION, out="bm25") == []
    assert out_of_order([share], FUSION, out="dense") == []


def test_an_order_that_is_not_kept_is_reported(monkeypatch):
    lists = candidates({("bm25", "q1"): ["a", "b"], ("dense", "q1"): ["c"]})
    share = Share(configuration(bm25=0.5, dense=0.5), lists)
    shuffled = answer([share], FUSION, out="dense").reverse()
    shuffled = shuffled.with_columns(rank=shuffled["rank"].reverse())
    monkeypatch.setattr("pipeline.operations.dropout.answer", lambda *_, **__: shuffled)
    assert out_of_order([share], FUSION, out="dense") == ["q1"]
