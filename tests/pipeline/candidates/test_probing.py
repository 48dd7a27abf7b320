"""Branches asked again; those that break their word are caught."""

import numpy as np
import polars as pl
import pytest

from pipeline.candidates import compute, opening
from pipeline.candidates.bm25 import Bm25Retriever
from pipeline.candidates.probing import probe
from pipeline.forbidden import forbidden
from pipeline.operations.canaries import canary_figures
from pipeline.operations.filtering import filtering
from pipeline.operations.probed import ELSEWHERE, NOT_ASKED, RECORDED, asked_lists, probed
from pipeline.parts import visible_parts
from pipeline.probes import plan_probes
from pipeline.seal import Seal
from pipeline.tables import BRANCH_PROBES, DEV_JUDGMENTS
from tests.rows import documents, params, queries, splits, table

LIBRARY = documents(
    {"a": "pump seal", "b": "pump valve", "c": "pump pump", "d": "valve"},
    tenant={"a": "acme", "b": "rival", "c": "rival"},
)
ASKED = queries({"q1": "pump", "q2": "valve pump"}, tenant={"q1": "acme", "q2": "rival"})


def study(count=2, depth=2, **branches):
    declared = branches or {"bm25": {"kind": "bm25", "depth": depth}}
    return params(declared, operations={"probes": count}, context={"depth": 1})


def asked_again(of, branch="bm25"):
    result = compute(documents=LIBRARY, queries=ASKED, branch=branch, params=of)
    lists = BRANCH_PROBES.check(result.probes.select(pl.lit(branch).alias("branch"), pl.all()))
    return result, probed(lists, LIBRARY, ASKED, of)


def leaks(these):
    return forbidden(asked_lists(these), these.documents, ASKED)


def test_nothing_is_asked_unless_a_number_says_so():
    result, these = asked_again(study(0))
    assert result.probes.is_empty()
    assert canary_figures(these, ASKED)[0]["reason"] == NOT_ASKED


def test_the_branchs_own_lists_are_the_same_with_and_without():
    with_, without = asked_again(study(2))[0], asked_again(study(0))[0]
    assert with_.candidates.equals(without.candidates)
    assert with_.manifest == without.manifest


def test_a_branch_that_keeps_its_filter_shows_no_canary_but_everybody_his_own():
    _, these = asked_again(study(depth=10))
    (row,) = canary_figures(these, ASKED)
    assert row == {
        "branch": "bm25",
        "planted": 4,
        "reachable": 4,
        "meant": 2,
        "seen_by_own": 2,
        "leaked": 0,
        "reason": None,
    }
    assert leaks(these).is_empty()


class Lying(Bm25Retriever):
    """A branch that ignores its filter."""

    def search(self, query, mask, depth):
        return super().search(query, None, depth)


class Closed(Bm25Retriever):
    """A branch whose filter lets nothing through."""

    def search(self, query, mask, depth):
        return super().search(query, None if mask is None else np.zeros_like(mask), depth)


def of_a(kind, monkeypatch):
    monkeypatch.setattr(opening, "open_bm25", lambda branch, texts, *_, **__: kind(branch, texts))
    return asked_again(study(depth=10))


def test_a_branch_that_ignores_its_filter_is_caught(monkeypatch):
    _, these = of_a(Lying, monkeypatch)
    found = leaks(these)
    assert {"a canary, for nobody to see", "another tenant's"} == set(found["reason"])
    assert canary_figures(these, ASKED)[0]["leaked"] > 0


def test_a_filter_that_lets_nothing_through_is_told_by_what_nobody_sees_of_his_own(monkeypatch):
    _, these = of_a(Closed, monkeypatch)
    row = canary_figures(these, ASKED)[0]
    assert (row["reachable"], row["seen_by_own"], row["leaked"]) == (4, 0, 0)


def parts(grades):
    rows = [{"query_id": q, "evidence_id": e, "grade": 1, "status": "judged"} for q, e in grades]
    labels = table(DEV_JUDGMENTS, rows)
    state = Seal(opening=None, dev_alpha=0.05, test_alpha=0.05)
    sides = splits({"q1": "dev", "q2": "dev"})
    both = {"dev": labels, "test": labels.clear()}
    return visible_parts(ASKED, sides, both, state, study())


def test_a_filter_after_the_search_loses_what_stood_below_the_depth():
    """Of two places for `pump`, both go to the rival's c and b without acme's filter.

    c says it twice; a and b are alike but for their ids. Depth 1 leaves c alone.
    """
    result, these = asked_again(study(depth=1))
    own = result.candidates.select(pl.lit("bm25").alias("branch"), pl.all())
    (row,) = filtering(these, parts([("q1", "a")]), own, ASKED)
    assert these.of("unfiltered", "bm25").filter(query_id="q1")["doc_id"].to_list() == ["c"]
    assert (row["asked"], row["forbidden"], row["in_context"], row["queries"]) == (2, 1, 1, 1)
    recall = next(one for one in row["measures"] if one["measure"] == "R@1")
    assert (recall["before"], recall["after"], recall["difference"]) == (1.0, 0.0, -1.0)
    assert (recall["lost"], recall["queries"], recall["split"]) == (1, 1, "dev")


def test_deep_enough_nothing_is_lost_but_who_fetches_a_contexts_worth_loses():
    result, these = asked_again(study(depth=4))
    own = result.candidates.select(pl.lit("bm25").alias("branch"), pl.all())
    (row,) = filtering(these, parts([("q1", "a")]), own, ASKED)
    recall = next(one for one in row["measures"] if one["measure"] == "R@4")
    assert (recall["before"], recall["after"], recall["lost"]) == (1.0, 1.0, 0)
    assert recall["after_narrow"] == 0.0  # the one place of a context is c's


@pytest.mark.parametrize(
    ("branch", "reason"),
    [
        ({"kind": "recorded", "run": "x"}, RECORDED),
        ({"kind": "dense", "encoder": "precomputed", "vectors": "v"}, ELSEWHERE),
    ],
)
def test_a_branch_that_cannot_be_asked_is_named_with_its_reason(branch, reason):
    of = study(2, one=branch)
    these = probed(BRANCH_PROBES.empty(), LIBRARY, ASKED, of)
    assert these.silent("one", words=True) == reason
    assert canary_figures(these, ASKED)[0]["reason"] == reason


def test_vectors_made_elsewhere_are_asked_without_filter_and_for_others_only():
    class Elsewhere(Bm25Retriever):
        reads = "query_id"

    declared = study().candidates["bm25"]
    engine = Elsewhere(declared, LIBRARY["text"].to_list())

    def never(_):
        raise AssertionError("nothing can be planted")

    found = probe(plan_probes(LIBRARY, ASKED, 2, 7), engine, never, documents=LIBRARY, depth=2)
    assert set(found["probe"]) <= {"unfiltered", "as_others"}


def test_the_same_bytes_whatever_the_order_of_rows():
    of = study()
    one = compute(documents=LIBRARY, queries=ASKED, branch="bm25", params=of).probes
    other = compute(
        documents=LIBRARY[[2, 0, 3, 1]], queries=ASKED[[1, 0]], branch="bm25", params=of
    ).probes
    assert one.equals(other)
