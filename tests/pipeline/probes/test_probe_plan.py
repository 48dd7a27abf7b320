"""What is asked again and planted: the same for the same collection, and no judgment read."""

from datetime import UTC, datetime

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.eligibility import eligible, principal_of
from pipeline.probes import plan_probes
from tests.rows import documents, queries

DAY = datetime(2026, 3, 31, tzinfo=UTC)
LIBRARY = documents(
    {
        "a": "reset the pump with code XR-17 now",
        "b": "pump and valve, seen daily",
        "c": "valve closed PUMP-2 twice",
        "d": "code PUMP-2 again",
        "canary~x": "a document whose id looks like a canary's",
    },
    tenant={"a": "acme"},
)
ASKED = queries(
    {"q1": "what is xr-17", "q2": "what is PUMP-2", "q3": "valve", "q4": "pump", "q5": None},
    tenant={"q1": "acme", "q2": "rival", "q3": "acme"},
    as_of={"q1": DAY},
)


def plan(count=10, library=LIBRARY, asked=ASKED, seed=7):
    return plan_probes(library, asked, count, seed)


def test_queries_with_words_are_asked_spread_over_all():
    assert plan().queries["query_id"].to_list() == ["q1", "q2", "q3", "q4"]
    assert plan(2).queries["query_id"].to_list() == ["q1", "q3"]


def test_each_is_asked_for_every_other_principal_once():
    # q1 acme at its date, q2 rival, q3 acme at any, q4 nobody: four principals.
    assert plan().others["q2"] == ("q3", "q4", "q1")
    assert {len(others) for others in plan().others.values()} == {3}


def test_a_query_has_a_canary_for_nobody_and_one_for_its_principal_alone():
    canaries = plan().canaries
    for query in plan().queries.iter_rows(named=True):
        seen = canaries.filter(pl.Series(eligible(canaries, principal_of(query))))["doc_id"]
        own = {name for name in seen if name.endswith(query["query_id"])}
        restricted = query["query_id"] != "q4"
        assert own == ({f"canary~~own~{query['query_id']}"} if restricted else set())
        assert not [name for name in seen if "nobody" in name]


def test_no_planted_id_is_one_of_the_collections():
    made = plan()
    planted = {*made.canaries["doc_id"], *made.noise["doc_id"]}
    assert not planted & set(LIBRARY["doc_id"])
    assert all(name.startswith(("canary~~", "noise~")) for name in planted)


def test_a_query_of_one_date_has_a_canary_that_no_other_date_sees():
    later = queries({"q": "?"}, tenant={"q": "acme"}, as_of={"q": DAY.replace(year=2027)})
    canaries = plan().canaries.filter(doc_id="canary~~own~q1")
    assert not eligible(canaries, principal_of(later.row(0, named=True))).any()


def test_an_identifier_of_one_document_alone_makes_it_its_own_page():
    made = plan()
    assert made.pages == {"q1": "a"}  # PUMP-2 stands in two documents
    assert made.repeated["doc_id"].to_list() == ["a"]
    assert made.repeated["text"][0].count("XR-17") == 4
    assert made.repeated["tenant"].to_list() == ["acme"]  # who may see it has not changed


def test_noise_is_public_and_of_the_collections_words():
    words = {word for text in LIBRARY["text"] for word in text.split()}
    noise = plan().noise
    assert noise.height == 1  # few beside five documents
    assert set(noise["text"][0].split()) <= words
    assert (
        noise.select("tenant", "groups", "valid_from", "valid_to").null_count().row(0) == (1,) * 4
    )


def test_another_seed_draws_other_noise_and_changes_nothing_else():
    one, other = plan(seed=1), plan(seed=2)
    assert not one.noise.equals(other.noise)
    assert one.canaries.equals(other.canaries)


@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_the_order_of_rows_changes_nothing(chance, count):
    rows = list(range(LIBRARY.height))
    chance.shuffle(rows)
    one, other = plan(count), plan(count, LIBRARY[rows], ASKED[[4, 2, 0, 1, 3]])
    assert one.queries.equals(other.queries)
    assert (one.others, one.pages) == (other.others, other.pages)
    assert one.noise.equals(other.noise)
    assert one.canaries.equals(other.canaries)


def test_a_collection_of_ids_only_has_nothing_to_ask_with():
    made = plan(3, documents({"a": None}), queries({"q1": None}))
    assert (made.queries.height, made.canaries.height, made.noise.height) == (0, 0, 0)
