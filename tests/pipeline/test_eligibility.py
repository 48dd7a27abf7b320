"""Who may see what, and when."""

from datetime import UTC, datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.eligibility import (
    Principal,
    eligibility_groups,
    eligible,
    is_restricted,
    visible_judgments,
)
from tests.rows import documents, judgments, queries

YEAR = {year: datetime(year, 1, 1, tzinfo=UTC) for year in range(2019, 2025)}
LIBRARY = documents(
    dict.fromkeys(["public", "tenant", "groups", "both", "old", "new"], ""),
    tenant={"tenant": "acme", "both": "acme"},
    groups={"groups": ["staff", "legal"], "both": ["legal"]},
    valid_to={"old": YEAR[2021]},
    valid_from={"new": YEAR[2021]},
)


def seen(principal: Principal) -> list[str]:
    return LIBRARY.filter(pl.Series(eligible(LIBRARY, principal)))["doc_id"].to_list()


def test_a_query_without_a_principal_sees_public_documents_only() -> None:
    assert seen(Principal()) == ["new", "old", "public"]


def test_a_tenant_sees_its_own_and_public_documents() -> None:
    assert seen(Principal("acme")) == ["new", "old", "public", "tenant"]
    assert seen(Principal("other")) == ["new", "old", "public"]


def test_any_shared_group_admits_within_the_tenant() -> None:
    assert seen(Principal(None, ("legal",))) == ["groups", "new", "old", "public"]
    assert seen(Principal("acme", ("legal", "x"))) == [
        "both",
        "groups",
        "new",
        "old",
        "public",
        "tenant",
    ]


def test_dates_bind_only_queries_with_an_effective_date() -> None:
    assert seen(Principal(as_of=YEAR[2020])) == ["old", "public"]
    assert seen(Principal(as_of=YEAR[2021])) == ["new", "public"]
    assert seen(Principal(as_of=YEAR[2022])) == ["new", "public"]


def test_queries_of_one_principal_share_one_mask() -> None:
    asked = queries(
        {"q1": "", "q2": "", "q3": ""},
        tenant={"q1": "acme", "q3": "acme"},
        groups={"q1": ["b", "a"], "q3": ["a", "b", "a"]},
    )
    groups = eligibility_groups(LIBRARY, asked)
    assert [group.query_ids for group in groups] == [("q1", "q3"), ("q2",)]
    assert [group.principal.filter for group in groups] == ["tenant=acme groups=a,b", None]


def test_judgments_are_those_the_principal_may_know_of() -> None:
    pairs = {(q, d): 1 for q in ("q1", "q2") for d in ("tenant", "public", "ghost")}
    asked = queries({"q1": "", "q2": ""}, tenant={"q2": "acme"})
    visible = visible_judgments(judgments(pairs), LIBRARY, asked)
    assert visible.filter(query_id="q1")["evidence_id"].to_list() == ["ghost", "public"]
    assert visible.filter(query_id="q2")["evidence_id"].to_list() == ["ghost", "public", "tenant"]


def test_evidence_is_visible_where_any_of_its_documents_is() -> None:
    cut_twice = documents(
        {"d1": "", "d2": ""},
        evidence_id={"d1": "e", "d2": "e"},
        tenant={"d1": "acme"},
    )
    assert visible_judgments(judgments({("q", "e"): 1}), cut_twice, queries({"q": ""})).height == 1


def test_judgments_of_unknown_queries_are_left_out() -> None:
    plain = documents({"d": ""})
    kept = visible_judgments(judgments({("q", "d"): 1, ("x", "d"): 1}), plain, queries({"q": ""}))
    assert kept["query_id"].to_list() == ["q"]


def test_a_collection_without_acl_and_dates_is_not_restricted() -> None:
    assert not is_restricted(documents({"d": ""}))
    assert is_restricted(LIBRARY)


NAMES = st.sampled_from(["a", "b", "c"])
RESTRICTIONS = st.tuples(
    st.none() | NAMES,
    st.none() | st.lists(NAMES, min_size=1, max_size=2),
    st.none() | st.sampled_from([YEAR[2019], YEAR[2021]]),
    st.none() | st.sampled_from([YEAR[2021], YEAR[2023]]),
)
PRINCIPALS = st.builds(
    Principal,
    st.none() | NAMES,
    st.lists(NAMES, max_size=2).map(tuple),
    st.none() | st.sampled_from(list(YEAR.values())),
)


def admits(restrictions: tuple, principal: Principal) -> bool:
    """The rule again, one document at a time."""
    tenant, groups, valid_from, valid_to = restrictions
    if tenant is not None and tenant != principal.tenant:
        return False
    if groups is not None and not set(groups) & set(principal.groups):
        return False
    if principal.as_of is None:
        return True
    begun = valid_from is None or valid_from <= principal.as_of
    return begun and (valid_to is None or principal.as_of < valid_to)


@given(st.lists(RESTRICTIONS, max_size=6), PRINCIPALS)
def test_the_mask_agrees_with_the_rule_told_slowly(rows: list, principal: Principal) -> None:
    names = [f"d{i}" for i in range(len(rows))]
    given_fields = {
        field: {name: row[i] for name, row in zip(names, rows, strict=True) if row[i] is not None}
        for i, field in enumerate(("tenant", "groups", "valid_from", "valid_to"))
    }
    library = documents(dict.fromkeys(names, ""), **given_fields)
    expected = [admits(row, principal) for row in rows]
    assert eligible(library, principal).tolist() == expected


def test_a_canary_is_for_nobody_whatever_else_it_says() -> None:
    held = documents(
        dict.fromkeys(["free", "theirs", "page"], ""),
        tenant={"theirs": "acme"},
        kind={"free": "canary", "theirs": "canary", "page": "page"},
    )
    for principal in (Principal(), Principal("acme"), Principal("acme", ("staff",), YEAR[2021])):
        assert eligible(held, principal).tolist() == [False, True, False]  # free, page, theirs
    assert is_restricted(held)
    pairs = judgments({("q", name): 1 for name in ("free", "page")})
    assert visible_judgments(pairs, held, queries({"q": ""}))["evidence_id"].to_list() == ["page"]
