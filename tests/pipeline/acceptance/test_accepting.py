"""Replies held against what the service knows, by hand."""

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.acceptance import Replies, accept, known_of
from pipeline.faults import INJECTED, inject
from pipeline.forbidden import forbidden
from tests.rows import candidates, documents, params, queries
from tests.strategies import candidates as any_candidates

BRANCHES = {
    "bm25": {"kind": "bm25"},
    "dense": {"kind": "dense"},
    "rec": {"kind": "recorded", "run": "rec"},
    "filed": {"kind": "recorded", "run": "filed", "order": "file"},
}
DOCUMENTS = documents(dict.fromkeys("abcdst", "x"), tenant={"s": "acme", "t": "acme"})
QUERIES = queries({"q1": "?", "q2": "?"}, tenant={"q2": "acme"})


def service(**fusion):
    return known_of(DOCUMENTS, QUERIES, params(BRANCHES, fusion=fusion), snapshot="now")


def replies(lists, *, status="ok", returned=None, snapshot="now"):
    rows = [
        (branch, query, status, len(found) if returned is None else returned, snapshot)
        for (branch, query), found in lists.items()
    ]
    columns = ["branch", "query_id", "status", "returned", "snapshot"]
    return Replies(candidates(lists), pl.DataFrame(rows, schema=columns, orient="row"))


def said(given_replies, **fusion):
    accepted = accept(given_replies, service(**fusion))
    (row,) = accepted.states.select("status", "mark").rows()
    return row, accepted.lists["doc_id"].to_list()


def test_a_healthy_reply_is_used_as_it_came():
    assert said(replies({("bm25", "q1"): ["b", "a"]})) == (("ok", None), ["b", "a"])


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (replies({("bm25", "q1"): []}, status="timeout"), (("timeout", "timeout"), [])),
        (replies({("bm25", "q1"): []}, status="error"), (("error", "error"), [])),
        (replies({("bm25", "q1"): []}), (("empty", "empty"), [])),
        (replies({("dense", "q1"): []}), (("partial", "silent"), [])),
        (replies({("bm25", "q1"): []}, status="filtered"), (("refused", "filtered"), [])),
        (replies({("bm25", "q1"): ["a"]}, returned=9), (("partial", "cut"), ["a"])),
        (replies({("bm25", "q1"): ["a"]}, status="partial"), (("partial", "partial"), ["a"])),
        (replies({("bm25", "q1"): ["a"]}, status="timeout"), (("partial", "partial"), ["a"])),
        (replies({("bm25", "q1"): ["a"]}, snapshot="then"), (("refused", "stale"), [])),
        (replies({("bm25", "q1"): ["a"]}, snapshot=None), (("ok", None), ["a"])),
        (replies({("bm25", "q1"): ["a", "s"]}), (("refused", "forbidden"), [])),
        (replies({("bm25", "q2"): ["a", "s"]}), (("ok", None), ["a", "s"])),
        (replies({("bm25", "q1"): ["a", "gone"]}), (("refused", "unknown"), [])),
        (replies({("bm25", "q9"): ["a"]}), (("refused", "forbidden"), [])),
    ],
)
def test_each_thing_that_can_be_wrong(reply, expected):
    assert said(reply) == expected


def test_a_document_twice_is_refused_or_its_first_place_is_kept_as_declared():
    reply = replies({("bm25", "q1"): ["a", "b", "a", "c"]})
    assert said(reply) == (("refused", "repeated"), [])
    assert said(reply, duplicates="keep_first") == (("partial", "mended"), ["a", "b", "c"])


def with_scores(branch, *pairs):
    reply = replies({(branch, "q1"): [one for one, _ in pairs]})
    scores = pl.Series("score", [score for _, score in pairs], dtype=pl.Float64)
    return Replies(reply.lists.with_columns(scores), reply.states)


def test_a_list_upside_down_is_put_back_in_order_of_its_scores():
    pairs = ("a", 1.0), ("c", 2.0), ("b", 2.0)
    assert said(with_scores("bm25", *pairs)) == (("ok", "reordered"), ["b", "c", "a"])
    # A recorded run breaks ties as trec_eval does; one in order of its file has no other order.
    assert said(with_scores("rec", *pairs)) == (("ok", "reordered"), ["c", "b", "a"])
    assert said(with_scores("filed", *pairs)) == (("ok", None), ["a", "c", "b"])


def test_a_query_for_which_nothing_is_eligible_is_rightly_filtered():
    nobody = documents({"s": "x"}, tenant={"s": "acme"})
    known = known_of(nobody, QUERIES, params(BRANCHES), snapshot="now")
    accepted = accept(replies({("dense", "q1"): []}, status="filtered"), known)
    assert accepted.states["status"].to_list() == ["filtered"]


@settings(max_examples=80)
@given(name=st.sampled_from(list(INJECTED)), lists=any_candidates(branches=("bm25", "dense")))
def test_whatever_fails_nothing_forbidden_is_used_and_what_changed_is_marked(name, lists):
    served = lists.select("doc_id").unique().sort("doc_id")["doc_id"].to_list()
    docs = documents(dict.fromkeys([*served, "s"], "x"), tenant={"s": "acme"})
    asked = lists["query_id"].unique().sort().to_list() or ["q"]
    people = queries(dict.fromkeys(asked, "?"))
    study = params({"bm25": {"kind": "bm25"}, "dense": {"kind": "dense"}})
    known = known_of(docs, people, study, snapshot="now")
    rows = lists.group_by("branch", "query_id").len("returned").cast({"returned": pl.Int64})
    states = rows.select(
        "branch",
        "query_id",
        pl.lit("ok").alias("status"),
        "returned",
        pl.lit("now").alias("snapshot"),
    )
    healthy = accept(Replies(lists, states), known).lists
    spoiled = inject(name, INJECTED[name], "bm25", Replies(healthy, states), known, seed=3)
    accepted = accept(spoiled, known)
    pairs = accepted.lists.select(pl.lit("").alias("system"), "query_id", "doc_id")
    assert forbidden(pairs, docs, people).is_empty()
    place = ["branch", "query_id", "rank", "doc_id"]
    was = healthy.join(spoiled.states, on=place[:2], how="semi").select(place)
    now = accepted.lists.select(place)
    moved = pl.concat([was.join(now, on=place, how="anti"), now.join(was, on=place, how="anti")])
    silent = accepted.states.filter(pl.col("mark").is_null())
    assert moved.join(silent, on=place[:2], how="semi").is_empty()
