"""Slices that follow from queries, evidence and lists; each by an example and a counterexample."""

import polars as pl
import pytest

from pipeline.derived_slices import Known, derived_slices, with_derived
from pipeline.errors import ParameterError
from pipeline.params import SliceParams
from pipeline.slices import declared_slices
from tests.rows import candidates, documents, params, queries

LONG = "how do I move all of my invoices to another account"
NOTHING = pl.DataFrame(schema={"query_id": pl.String, "evidence_id": pl.String})


def known(texts, *, docs=None, relevant=(), lists=None, options=None, **more):
    """What slices are derived from; relevant as (query, evidence)."""
    pairs = pl.DataFrame(list(relevant), schema=NOTHING.schema, orient="row")
    return Known(
        queries=queries(texts, **more),
        documents=documents({"d": "x"}) if docs is None else docs,
        relevant=pairs,
        candidates=candidates(lists or {}),
        depth=2,
        declared=frozenset(name for names in more.get("slices", {}).values() for name in names),
        params=options or SliceParams(),
    )


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("short_query", "reset my password", LONG),
        ("long_query", LONG, "reset my password"),
        ("exact_identifier", "what does PAY-1047 mean", "what does payment mean"),
        ("numbers", "more than 12 seats", "version v12a"),
        ("acronym", "set up SSO for guests", "PLEASE HELP NOW"),
        ("negation", "pages that are not shared", "knots and notes"),
        ("negation", "it doesn\u2019t start", "it does start"),
        ("temporal", "changes since the update", "how to sort changes"),
        ("temporal", "revenue in 2024", "revenue in 20245 shops"),
    ],
)
def test_words_tell(name, inside, outside):
    found = derived_slices(known({"in": inside, "out": outside}))
    assert found[name] == {"in"}


def test_a_negation_is_one_of_its_language():
    texts = {"de": "seiten ohne freigabe", "en": "seiten ohne freigabe", "ja": "not"}
    locales = {"de": "de-AT", "en": "en", "ja": "ja"}
    assert derived_slices(known(texts, locale=locales))["negation"] == {"de"}
    german = SliceParams(language="de")
    assert derived_slices(known({"q": "ohne"}, options=german))["negation"] == {"q"}


def test_an_identifier_may_have_a_pattern_of_its_own():
    options = SliceParams(identifier=r"§ ?\d+")
    found = derived_slices(known({"in": "what says § 12", "out": "PAY-1047"}, options=options))
    assert found["exact_identifier"] == {"in"}
    with pytest.raises(ParameterError, match="not a regular expression"):
        params({"b": {"kind": "bm25"}}, evaluation={"slices": {"identifier": "("}})


def test_low_overlap_is_told_by_the_evidence():
    docs = documents({"near": "cancel your order", "far": "stop a purchase"})
    found = derived_slices(
        known(
            {"a": "cancel order", "b": "cancel order", "unjudged": "cancel order"},
            docs=docs,
            relevant=[("a", "near"), ("b", "far")],
        )
    )
    assert found["low_overlap"] == {"b"}


def test_freshness_is_evidence_with_a_superseded_twin():
    docs = documents({"old": "x", "new": "y", "else": "z"}, superseded_by={"old": "new"})
    relevant = [("a", "old"), ("b", "new"), ("c", "else")]
    found = derived_slices(known(dict.fromkeys("abc", "?"), docs=docs, relevant=relevant))
    assert found["freshness"] == {"a", "b"}


def test_cross_lingual_is_evidence_in_other_languages_only():
    docs = documents({"de": "x", "en": "y"}, locale={"de": "de", "en": "en-GB"})
    found = derived_slices(
        known(
            dict.fromkeys("abc", "?"),
            docs=docs,
            relevant=[("a", "de"), ("b", "en"), ("c", "de"), ("c", "en")],
            locale=dict.fromkeys("abc", "en"),
        )
    )
    assert found["cross_lingual"] == {"a"}
    assert "locale_en" not in found  # of one language only


def test_queries_of_several_languages_are_slices_each():
    found = derived_slices(known({"a": "?", "b": "?"}, locale={"a": "de_CH", "b": "fr"}))
    assert (found["locale_de"], found["locale_fr"]) == ({"a"}, {"b"})


def test_an_entity_of_several_sources_is_ambiguous():
    docs = documents(
        {"d1": "x", "d2": "y", "d3": "z"},
        entities={"d1": ["Mercury", "Blue Bird"], "d2": ["Mercury"], "d3": ["Venus"]},
    )
    texts = {"a": "Where is mercury?", "b": "where is Venus", "c": "a mercurial thing"}
    assert derived_slices(known(texts, docs=docs))["ambiguous_entity"] == {"a"}


def test_branches_agree_on_half_of_their_first_items_or_do_not():
    lists = {
        ("words", "a"): ["d1", "d2", "d3"],
        ("vectors", "a"): ["d2", "d4", "d1"],
        ("words", "b"): ["d1", "d2", "d3"],
        ("vectors", "b"): ["d4", "d3", "d1"],
        ("words", "alone"): ["d1"],
    }
    found = derived_slices(known({"a": "?", "b": "?", "alone": "?"}, lists=lists))
    assert (found["branches_agree"], found["branches_disagree"]) == ({"a"}, {"b"})


def test_required_evidence_is_counted_once_each():
    required = {"one": ["e", "e"], "two": ["e", "f"]}
    found = derived_slices(known({"one": "?", "two": "?", "no": "?"}, required_evidence=required))
    assert (found["one_required"], found["several_required"]) == ({"one"}, {"two"})


def test_access_scope_is_told_where_anything_is_restricted():
    docs = documents({"d": "x"}, tenant={"d": "acme"})
    found = derived_slices(known({"a": "?", "b": "?"}, docs=docs, tenant={"a": "acme"}))
    assert (found["with_principal"], found["without_principal"]) == ({"a"}, {"b"})
    assert "with_principal" not in derived_slices(known({"a": "?"}, tenant={"a": "acme"}))


def test_queries_and_documents_without_text_derive_none_by_words():
    assert derived_slices(known({"q": None}, docs=documents({"d": None}))) == {}


def test_a_declared_slice_is_not_derived_and_small_ones_are_named():
    asked = known(
        {"a": "PAY-1 code", "b": "KX-2 code", "c": "without a code"},
        options=SliceParams(minimum=2),
    )
    declared = declared_slices(asked.queries, ["a", "b", "c"], minimum=2)
    slices = with_derived(declared, ["a", "b", "c"], asked)
    assert slices.shown["exact_identifier"] == ("a", "b")
    assert slices.left_out["negation"] == 1
    assert "exact_identifier" in slices.derived
    own = known(
        {"a": "x", "b": "KX-2"},
        options=SliceParams(minimum=1),
        slices={"a": ["exact_identifier"]},
    )
    kept = with_derived(declared_slices(own.queries, ["a", "b"], minimum=1), ["a", "b"], own)
    assert kept.shown["exact_identifier"] == ("a",)
    assert "exact_identifier" not in kept.derived
    # Nor on a side where no query declares it.
    other = with_derived(declared_slices(own.queries, ["b"], minimum=1), ["b"], own)
    assert "exact_identifier" not in other.shown


def test_switched_off_nothing_is_derived():
    asked = known({"a": "PAY-1"}, options=SliceParams(minimum=1, derived=False))
    declared = declared_slices(asked.queries, ["a"], minimum=1)
    assert with_derived(declared, ["a"], asked) == declared
