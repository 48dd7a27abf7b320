"""A document its principal may not see is found in every kind of stored list."""

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import tables
from pipeline.eligibility import eligible, principal_of
from pipeline.forbidden import forbidden
from pipeline.operations.authorization import LISTED, StoredLists, audit
from pipeline.tables import (
    CONFIGURATIONS,
    CONTEXTS,
    CRITICAL,
    DEV_JUDGMENTS,
    DIAGNOSIS,
    DOCUMENTS,
    POOL,
    QUERIES,
    RUNS,
    TRACES,
    Table,
)
from tests.rows import candidates, documents, params, queries, splits, table

BRANCHES = {
    "bm25": {"kind": "recorded", "run": "bm25"},
    "dense": {"kind": "recorded", "run": "dense"},
}
EARLY, LATE = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)

TEXTS = {"open": "a", "acme": "b", "rival": "c"}
TENANTS = {"acme": "acme", "rival": "rival"}


NOTHING = {
    "candidates": candidates({}),
    "probes": pl.DataFrame(schema=dict.fromkeys(("system", "query_id", "doc_id"), pl.String)),
    "configurations": CONFIGURATIONS.empty(),
    "splits": splits({"q1": "dev"}),
    "pool": POOL.empty(),
    "judgments": DEV_JUDGMENTS.empty(),
    "runs": RUNS.empty(),
    "contexts": CONTEXTS.empty(),
    "traces": TRACES.empty(),
    "diagnosis": DIAGNOSIS.empty(),
    "critical": CRITICAL.empty(),
}


def whole_audit(**given_):
    """An audit of lists for one query asked by acme; what is not given is empty."""
    lists = StoredLists(**{name: given_.pop(name, empty) for name, empty in NOTHING.items()})
    inputs = {
        "documents": documents(TEXTS, tenant=TENANTS),
        "queries": queries({"q1": "?"}, tenant={"q1": "acme"}),
        "params": params(BRANCHES),
    }
    return audit(lists, **{**inputs, **given_})


def audited(**given_):
    """What authorization.json says."""
    return whole_audit(**given_).authorization


def fused_to(**depths):
    """A sweep's configurations: one, fusing the branches to these depths, evenly."""
    weights = {f"weight_{name}": 1.0 if name in depths else 0.0 for name in BRANCHES}
    cut = {f"depth_{name}": depths.get(name) for name in BRANCHES}
    row = {"configuration": "c", "method": "rrf", "rank_constant": 60.0, **weights, **cut}
    wide = dict.fromkeys(weights, pl.Float64) | dict.fromkeys(cut, pl.Int64)
    return pl.DataFrame([row], schema={**CONFIGURATIONS.columns, **wide})


def run_row(document, system="selected", evidence=None):
    return {
        "system": system,
        "query_id": "q1",
        "rank": 1,
        "doc_id": document,
        "evidence_id": evidence or document,
    }


def probed_row(branch, document):
    return pl.DataFrame({"system": [branch], "query_id": ["q1"], "doc_id": [document]})


def judgment(evidence):
    return {"query_id": "q1", "evidence_id": evidence, "grade": 1, "status": "judged"}


def traced(evidence):
    place = {"split": "dev", "stage": "fusion", "branch": "", "kept": True}
    return {"query_id": "q1", "evidence_id": evidence, **place}


def diagnosed(evidence):
    said = {"system": "selected", "against": "", "split": "dev", "lost_at": "fusion"}
    return {"query_id": "q1", "evidence_id": evidence, **said}


def critical_row(evidence):
    return {
        "split": "test",
        "place": 1,
        "query_id": "q1",
        "evidence_id": evidence,
        "grade": 1,
        "low": 0.0,
        "turns": "pass",
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
        configurations=fused_to(bm25=1),
        judgments=table(DEV_JUDGMENTS, [judgment("open")]),
    )
    assert found["applies"]
    assert found["forbidden"] == 0
    assert {name: one["rows"] for name, one in found["checked"].items()} == {
        "candidates": 2,
        "contexts": 1,
        "diagnosis": 0,
        "critical": 0,
        "judgments": 1,
        "pool": 1,
        "probes": 0,
        "runs": 1,
        "sweep": 1,
        "traces": 0,
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
        ({"judgments": table(DEV_JUDGMENTS, [judgment("rival")])}, ("judgments", "")),
        ({"probes": probed_row("bm25", "rival")}, ("probes", "bm25")),
        ({"traces": table(TRACES, [traced("rival")])}, ("traces", "")),
        ({"diagnosis": table(DIAGNOSIS, [diagnosed("rival")])}, ("diagnosis", "")),
        ({"critical": table(CRITICAL, [critical_row("rival")])}, ("critical", "")),
    ],
)
def test_a_forbidden_document_is_found_in_each_list(lists, expected):
    found = audited(**lists)
    assert found["forbidden"] == 1
    assert where(found) == [(*expected, "rival")]
    assert found["where"][0]["reason"] == "another tenant's"
    assert found["where"][0]["query_id"] == "q1"


def test_the_sweep_is_searched_as_deep_as_its_configurations_fuse_on_dev():
    listed = candidates({("bm25", q): ["open", "rival"] for q in ("q1", "q2")})
    asked = queries({"q1": "?", "q2": "?"}, tenant={"q1": "acme", "q2": "acme"})
    sides = splits({"q1": "dev", "q2": "test"})
    inputs = {"candidates": listed, "queries": asked, "splits": sides}
    found = audited(configurations=fused_to(bm25=2), **inputs)
    assert found["checked"]["sweep"] == {"rows": 2, "forbidden": 1}
    assert found["where"][-1]["list"] == "sweep"
    assert found["where"][-1]["query_id"] == "q1"
    for shallow in (fused_to(bm25=1), fused_to(dense=2)):
        assert audited(configurations=shallow, **inputs)["checked"]["sweep"]["forbidden"] == 0


AUDITED = {
    "candidates": "candidates",
    "candidates/{branch}/candidates": "candidates",
    "pool/pool": "pool",
    "splits/dev_judgments": "judgments",
    "splits/test_judgments": "judgments",
    "evaluation/runs": "runs",
    "evaluation/contexts": "contexts",
    "evaluation/traces": "traces",
    "evaluation/diagnosis": "diagnosis",
    "evaluation/critical": "critical",
    "candidates/{branch}/probes": "probes",
}
GIVEN = {"snapshot/judgments", "snapshot/runs/{name}"}  # as people wrote them, shown to nobody
FOUND = {"operations/forbidden"}  # what the audit itself writes


def test_every_table_that_names_a_document_beside_a_query_is_searched():
    stored = [one for one in vars(tables).values() if isinstance(one, Table)]
    naming = {
        one.path
        for one in stored
        if "query_id" in one.columns and {"doc_id", "evidence_id"} & set(one.columns)
    }
    assert naming - GIVEN - FOUND == set(AUDITED)
    searched = set(audited()["checked"])
    assert searched == {*AUDITED.values(), "sweep"}


def test_a_canary_of_the_collection_is_for_nobody_not_even_its_tenant():
    held = documents(TEXTS, tenant=TENANTS, kind={"acme": "canary", "open": "canary"})
    found = audited(documents=held, candidates=candidates({("bm25", "q1"): ["acme", "open"]}))
    assert found["canaries"] == 2
    assert [row["reason"] for row in found["where"]] == ["a canary, for nobody to see"] * 2


def test_a_collection_is_audited_for_its_canaries_alone():
    held = documents(TEXTS, kind={"open": "canary"})
    assert audited(documents=held, candidates=candidates({("bm25", "q1"): ["open"]}))["forbidden"]


def test_a_stale_list_that_shows_an_expired_document_is_caught():
    held = documents(
        {"old": "x", "new": "y"},
        valid_to={"old": LATE},
        valid_from={"new": LATE},
        superseded_by={"old": "new"},
    )
    asked = queries({"q1": "?"}, as_of={"q1": LATE})
    fresh, stale = (candidates({("bm25", "q1"): [name]}) for name in ("new", "old"))
    assert audited(documents=held, queries=asked, candidates=fresh)["forbidden"] == 0
    found = audited(documents=held, queries=asked, candidates=stale)
    assert where(found) == [("candidates", "bm25", "old")]
    assert found["where"][0]["reason"] == "no longer valid at the query's date"


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


def test_all_of_them_are_in_the_table():
    many = {f"d{number:03d}": "x" for number in range(150)}
    found = whole_audit(
        documents=documents(many, tenant=dict.fromkeys(many, "rival")),
        candidates=candidates({("bm25", "q1"): sorted(many, reverse=True)}),
    )
    assert found.forbidden["doc_id"].to_list() == sorted(many)
    assert found.forbidden.head(LISTED).to_dicts() == found.authorization["where"]


TENANT = st.sampled_from([None, "acme", "rival"])
GROUPS = st.one_of(st.none(), st.lists(st.sampled_from(["hr", "law", "it"]), max_size=2))
MOMENT = st.sampled_from([None, EARLY, LATE])
KIND = st.sampled_from([None, "page", "canary"])


@given(
    st.lists(st.tuples(TENANT, GROUPS, MOMENT, MOMENT, KIND), min_size=1, max_size=5),
    st.lists(st.tuples(TENANT, GROUPS, MOMENT), min_size=1, max_size=4),
)
def test_the_audit_and_the_filter_of_retrieval_agree_on_every_pair(restricted, asked):
    fields = ("tenant", "groups", "valid_from", "valid_to", "kind")
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
