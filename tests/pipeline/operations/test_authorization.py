"""A document its principal may not see is found in every kind of stored list."""

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.eligibility import eligible, principal_of
from pipeline.operations.authorization import LISTED, audit, forbidden
from pipeline.tables import CONTEXTS, DOCUMENTS, POOL, QUERIES, RUNS
from tests.rows import candidates, documents, params, queries, table

BRANCHES = {
    "bm25": {"kind": "recorded", "run": "bm25"},
    "dense": {"kind": "recorded", "run": "dense"},
}
EARLY, LATE = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)

TEXTS = {"open": "a", "acme": "b", "rival": "c"}
TENANTS = {"acme": "acme", "rival": "rival"}


def audited(**lists):
    """An audit of lists for one query asked by acme; what is not given is empty."""
    given_ = {
        "documents": documents(TEXTS, tenant=TENANTS),
        "queries": queries({"q1": "?"}, tenant={"q1": "acme"}),
        "candidates": candidates({}),
        "pool": POOL.empty(),
        "runs": RUNS.empty(),
        "contexts": CONTEXTS.empty(),
        "params": params(BRANCHES),
    }
    return audit(**{**given_, **lists})


def run_row(document, system="selected", evidence=None):
    return {
        "system": system,
        "query_id": "q1",
        "rank": 1,
        "doc_id": document,
        "evidence_id": evidence or document,
    }


def where(found):
    return [(row["list"], row["system"], row["doc_id"]) for row in found["where"]]


def test_a_collection_that_restricts_nothing_has_nothing_to_audit():
    found = audited(documents=documents(TEXTS), candidates=candidates({("bm25", "q1"): ["rival"]}))
    assert found == {"applies": False, "checked": {}, "forbidden": 0, "where": []}


def test_what_the_principal_may_see_passes_everywhere():
    found = audited(
        candidates=candidates({("bm25", "q1"): ["open", "acme"]}),
        runs=table(RUNS, [run_row("acme")]),
        contexts=table(CONTEXTS, [run_row("acme")]),
        pool=table(POOL, [{"query_id": "q1", "evidence_id": "acme", "status": "unjudged"}]),
    )
    assert found["applies"]
    assert found["forbidden"] == 0
    assert {name: one["rows"] for name, one in found["checked"].items()} == {
        "candidates": 2,
        "contexts": 1,
        "pool": 1,
        "runs": 1,
    }


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({"candidates": candidates({("bm25", "q1"): ["rival"]})}, ("candidates", "bm25")),
        ({"runs": table(RUNS, [run_row("rival", "rrf_60")])}, ("runs", "rrf_60")),
        ({"contexts": table(CONTEXTS, [run_row("rival")])}, ("contexts", "selected")),
        (
            {"pool": table(POOL, [{"query_id": "q1", "evidence_id": "rival", "status": "judged"}])},
            ("pool", ""),
        ),
    ],
)
def test_a_forbidden_document_is_found_in_each_list(lists, expected):
    found = audited(**lists)
    assert found["forbidden"] == 1
    assert where(found) == [(*expected, "rival")]
    assert found["where"][0]["reason"] == "another tenant's"
    assert found["where"][0]["query_id"] == "q1"


def test_a_forbidden_member_behind_an_allowed_one_is_found():
    shared = documents(TEXTS, tenant=TENANTS, evidence_id=dict.fromkeys(TEXTS, "e"))
    listed = candidates({("dense", "q1"): ["acme", "rival"]}).with_columns(
        evidence_id=pl.lit("e"), source_id=pl.lit("e")
    )
    found = audited(
        documents=shared,
        candidates=listed,
        runs=table(
            RUNS,
            [run_row("acme", name, "e") for name in ("bm25", "dense", "selected")],
        ),
        contexts=table(CONTEXTS, [run_row("acme", evidence="e")]),
        pool=table(POOL, [{"query_id": "q1", "evidence_id": "e", "status": "unjudged"}]),
    )
    # bm25 never returned it; and the evidence itself may be judged, an allowed document has it.
    assert where(found) == [
        ("candidates", "dense", "rival"),
        ("contexts", "selected", "rival"),
        ("runs", "dense", "rival"),
        ("runs", "selected", "rival"),
    ]


def test_at_document_level_nothing_stands_behind_a_document():
    shared = documents(TEXTS, tenant=TENANTS, evidence_id=dict.fromkeys(TEXTS, "e"))
    listed = candidates({("dense", "q1"): ["acme", "rival"]}).with_columns(
        evidence_id=pl.lit("e"), source_id=pl.lit("e")
    )
    found = audited(
        documents=shared,
        candidates=listed,
        runs=table(RUNS, [run_row("acme", evidence="e")]),
        params=params(BRANCHES, fusion={"level": "document"}),
    )
    assert where(found) == [("candidates", "dense", "rival")]


def test_dates_bind_a_query_that_has_one():
    dated = documents({"old": "a", "new": "b"}, valid_from={"new": LATE}, valid_to={"old": LATE})
    asked = queries({"early": "?", "late": "?", "ever": "?"}, as_of={"early": EARLY, "late": LATE})
    listed = candidates({("bm25", q): ["old", "new"] for q in ("early", "late", "ever")})
    found = audited(documents=dated, queries=asked, candidates=listed)
    assert [(row["query_id"], row["doc_id"], row["reason"]) for row in found["where"]] == [
        ("early", "new", "not yet valid at the query's date"),
        ("late", "old", "no longer valid at the query's date"),
    ]


def test_groups_admit_whoever_is_in_any_of_them():
    grouped = documents({"d": "a"}, groups={"d": ["hr", "law"]})
    asked = queries({"in": "?", "out": "?", "nobody": "?"}, groups={"in": ["law"], "out": ["it"]})
    listed = candidates({("bm25", q): ["d"] for q in ("in", "out", "nobody")})
    found = audited(documents=grouped, queries=asked, candidates=listed)
    assert [row["query_id"] for row in found["where"]] == ["nobody", "out"]


def test_a_document_that_nobody_knows_cannot_be_shown_to_be_allowed():
    found = audited(candidates=candidates({("bm25", "q1"): ["stranger"]}))
    assert found["where"][0]["reason"] == "not in the collection"


def test_all_are_counted_and_the_first_hundred_listed_in_order():
    many = {f"d{number:03d}": "x" for number in range(150)}
    found = audited(
        documents=documents(many, tenant=dict.fromkeys(many, "rival")),
        candidates=candidates({("bm25", "q1"): sorted(many, reverse=True)}),
    )
    assert found["forbidden"] == 150
    assert [row["doc_id"] for row in found["where"]] == sorted(many)[:LISTED]


TENANT = st.sampled_from([None, "acme", "rival"])
GROUPS = st.one_of(st.none(), st.lists(st.sampled_from(["hr", "law", "it"]), max_size=2))
MOMENT = st.sampled_from([None, EARLY, LATE])


@given(
    st.lists(st.tuples(TENANT, GROUPS, MOMENT, MOMENT), min_size=1, max_size=5),
    st.lists(st.tuples(TENANT, GROUPS, MOMENT), min_size=1, max_size=4),
)
def test_the_audit_and_the_filter_of_retrieval_agree_on_every_pair(restricted, asked):
    fields = ("tenant", "groups", "valid_from", "valid_to")
    held = table(
        DOCUMENTS,
        [
            {"doc_id": f"d{i}", "evidence_id": f"d{i}", "source_id": f"d{i}"}
            | dict(zip(fields, one, strict=True))
            for i, one in enumerate(restricted)
        ],
    )
    principals = table(
        QUERIES,
        [
            {"query_id": f"q{i}"} | dict(zip(("tenant", "groups", "as_of"), one, strict=True))
            for i, one in enumerate(asked)
        ],
    )
    pairs = principals.select("query_id").join(held.select("doc_id"), how="cross")
    refused = forbidden(pairs.with_columns(system=pl.lit("")), held, principals)
    hidden = {
        (query["query_id"], document)
        for query in principals.iter_rows(named=True)
        for document, seen in zip(held["doc_id"], eligible(held, principal_of(query)), strict=True)
        if not seen
    }
    assert set(refused.select("query_id", "doc_id").rows()) == hidden
