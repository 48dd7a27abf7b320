"""Branches that misbehave, written out, asked at the same time as good ones: all are caught."""

import math
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import polars as pl
import pytest

from pipeline.acceptance import accept_call, known_of
from pipeline.candidates.opening import open_branch
from pipeline.eligibility import eligible, principal_of
from pipeline.fusion import Configuration
from pipeline.identity import attach, digest
from pipeline.serving import Reply, ask_branches, serve
from pipeline.tables import BRANCH_CANDIDATES
from tests.rows import documents, params, queries

PARAMS = params({"good": {"kind": "bm25"}, "bad": {"kind": "bm25"}})
DOCUMENTS = documents(
    {"a": "red kiln", "b": "blue kiln", "secret": "kiln kiln kiln", "z": "nothing"},
    tenant={"secret": "acme"},
)
QUERY = queries({"q": "kiln"})
SERVED = digest(DOCUMENTS)
BOTH = Configuration.of(
    "rrf", rank_constant=60, weights={"good": 0.5, "bad": 0.5}, depths={"good": 9, "bad": 9}
)


def branch(served=DOCUMENTS, *, filtered=True, snapshot=True, late=0.0):
    """A branch as a service would have it, and what may be wrong with it."""
    retriever = open_branch(PARAMS.candidates["good"], served)
    mask = eligible(served, principal_of(QUERY.row(0, named=True))) if filtered else None

    def ask():
        time.sleep(late)
        ranking = retriever.search("kiln", mask, 9)
        rows = pl.DataFrame(
            {
                "query_id": ["q"] * len(ranking),
                "rank": list(range(1, len(ranking) + 1)),
                "doc_id": served["doc_id"].gather(ranking.positions),
                "score": ranking.scores,
            }
        )
        listed = BRANCH_CANDIDATES.check(attach(rows, served))
        return Reply(
            "ok", listed, returned=len(ranking), snapshot=digest(served) if snapshot else None
        )

    return ask


PATIENT = 600_000.0  # milliseconds: no good branch is late, however busy the machine


def answered(bad, *, budget=PATIENT):
    known = known_of(DOCUMENTS, QUERY, PARAMS, snapshot=SERVED)
    with ThreadPoolExecutor(2) as pool:
        replies = ask_branches(
            {"good": branch(), "bad": bad}, budgets_ms={"bad": budget}, pool=pool
        )
    accepted = accept_call(replies, "q", known)
    return accepted["bad"], serve(accepted, BOTH, PARAMS.fusion)


def test_with_both_good_the_answer_is_whole():
    reply, served = answered(branch())
    assert (reply.status, served.partial) == ("ok", False)
    assert served.run["doc_id"].to_list() == ["a", "b"]


def assert_answered_without(reply, served, mark):
    assert reply.reason == mark
    assert served.partial
    assert served.used == ("good",)
    assert served.run["doc_id"].to_list() == ["a", "b"]


def test_a_branch_that_ignores_its_filter_is_caught():
    reply, served = answered(branch(filtered=False))
    assert reply.status == "refused"
    assert_answered_without(reply, served, "forbidden")


def test_an_index_of_an_earlier_corpus_is_caught_by_the_snapshot_it_names():
    reply, served = answered(branch(DOCUMENTS.filter(pl.col("doc_id") != "b")))
    assert reply.status == "refused"
    assert_answered_without(reply, served, "stale")


def test_an_index_of_an_earlier_corpus_that_names_none_is_caught_by_what_was_deleted_since():
    earlier = documents({"a": "red kiln", "deleted": "kiln", "z": "nothing"})
    reply, served = answered(branch(earlier, snapshot=False))
    assert_answered_without(reply, served, "unknown")


def test_a_fallback_that_asks_again_without_the_filter_is_caught():
    def falls_back():
        first = Reply("filtered", BRANCH_CANDIDATES.empty(), returned=0)
        return first if first.rows.height else branch(filtered=False)()

    reply, served = answered(falls_back)
    assert_answered_without(reply, served, "forbidden")


def test_a_filter_that_leaves_nothing_is_not_taken_for_nothing_found():
    reply, served = answered(lambda: Reply("filtered", BRANCH_CANDIDATES.empty(), returned=0))
    assert_answered_without(reply, served, "filtered")


def test_a_branch_slower_than_its_budget_is_not_waited_for():
    reply, served = answered(branch(late=0.5), budget=1.0)
    assert reply.status == "timeout"
    assert served.partial
    assert served.run["doc_id"].to_list() == ["a", "b"]


def test_a_branch_that_raises_is_an_error_and_no_crash():
    def raises():
        raise OSError("connection reset")

    reply, served = answered(raises)
    assert (reply.status, reply.reason) == ("error", "OSError")
    assert served.run["doc_id"].to_list() == ["a", "b"]


@pytest.mark.parametrize("score", [math.nan, math.inf])
@pytest.mark.parametrize("place", [0, 1])
def test_a_branch_whose_scores_are_no_numbers_is_caught(score, place):
    def strays():
        reply = branch()()
        scores = [score if n == place else one for n, one in enumerate(reply.rows["score"])]
        return replace(reply, rows=reply.rows.with_columns(score=pl.Series(scores)))

    reply, served = answered(strays)
    assert reply.status == "refused"
    assert_answered_without(reply, served, "unreal")


@pytest.mark.parametrize("twice", ["reject", "keep_first"])
def test_a_branch_that_repeats_itself_never_repeats_in_the_answer(twice):
    good = branch()

    def repeats():
        reply = good()
        rows = pl.concat([reply.rows, reply.rows.with_columns(rank=pl.col("rank") + 2)])
        return Reply("ok", rows, returned=4, snapshot=SERVED)

    of = params({"good": {"kind": "bm25"}, "bad": {"kind": "bm25"}}, fusion={"duplicates": twice})
    known = known_of(DOCUMENTS, QUERY, of, snapshot=SERVED)
    accepted = accept_call({"good": good(), "bad": repeats()}, "q", known)
    served = serve(accepted, BOTH, of.fusion)
    assert served.partial
    assert served.run["doc_id"].to_list() == ["a", "b"]
