"""Why queries are in one group, told with how many, by what, and a real pair."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.splits.ties import grouping_text, ties_of, told
from tests.pipeline.splits.grouped import Pairs, grouped, numbered


def test_the_line_counts_the_tied_and_shows_a_real_pair() -> None:
    pairs = [("q00", "D1"), ("q03", "D1"), ("q01", "D2"), ("q02", "D3")]
    assert grouping_text(grouped(numbered(5), pairs)) == (
        "5 queries in 4 groups: 2 tied by shared relevant documents (e.g. q00 and q03 share D1)"
    )


def test_the_example_is_the_value_that_ties_most() -> None:
    pairs = [("q00", "A"), ("q01", "A"), *((f"q{i:02}", "B") for i in range(2, 6))]
    tie = ties_of(grouped(numbered(6), pairs))[0]
    assert (tie.value, tie.queries) == ("B", 6)
    assert tie.pair == "q02, q03 and 2 more share B"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        (
            {"template": {"q00": "how do I", "q01": "how do I"}},
            "2 tied by the same template (e.g. q00 and q01 have the same template)",
        ),
        (
            {"paraphrase_of": {"q01": "q00"}},
            "2 tied by being paraphrases of one question"
            " (e.g. q00 and q01 are paraphrases of one question)",
        ),
    ],
)
def test_declared_keys_are_named_without_their_text(fields: dict[str, Any], said: str) -> None:
    assert grouping_text(grouped(numbered(3), **fields)) == f"3 queries in 2 groups: {said}"


def test_the_same_text_is_a_reason_and_is_not_shown() -> None:
    said = grouping_text(grouped({"q1": "Red  valve", "q2": "red valve", "q3": "pump"}))
    assert said == (
        "3 queries in 2 groups: 2 tied by the same text (e.g. q1 and q2 have the same text)"
    )


def test_a_source_in_common_is_a_reason_of_its_own() -> None:
    one = grouped(
        numbered(2), [("q00", "D1"), ("q01", "D2")], sources={"D1": "manual", "D2": "manual"}
    )
    assert grouping_text(one).endswith(
        "2 tied by relevant documents of one source (e.g. q00 and q01 share source manual)"
    )


def test_what_documents_tie_is_not_told_again_by_their_source() -> None:
    pairs = [("q00", "D1"), ("q01", "D1"), ("q01", "D2"), ("q02", "D3")]
    sources = {"D1": "guide", "D2": "manual", "D3": "manual"}
    assert grouping_text(grouped(numbered(4), pairs, sources=sources)) == (
        "4 queries in 2 groups: 2 tied by shared relevant documents,"
        " 1 more tied by relevant documents of one source (e.g. q00 and q01 share D1)"
    )


def test_a_query_marked_independent_is_not_counted() -> None:
    pairs = [("q00", "D"), ("q01", "D"), ("q02", "D")]
    tie = ties_of(grouped(numbered(3), pairs, independent={"q01": True}))[0]
    assert (tie.queries, list(tie.example)) == (2, ["q00", "q02"])


def test_what_ties_nothing_or_was_declared_is_said_too() -> None:
    assert grouping_text(grouped(numbered(3))) == (
        "3 queries in 3 groups: nothing ties them together"
    )
    declared = grouped(numbered(2), [("q00", "D"), ("q01", "D")], {"independent": True})
    assert grouping_text(declared) == "2 queries in 2 groups: declared independent"
    assert told(declared, "do this") == grouping_text(declared)


def test_a_key_that_was_dropped_is_named() -> None:
    fields = {
        "entity": {f"q{i:02}": "big" for i in range(11)},
        "conversation": {"q20": "c", "q21": "c"},
    }
    assert grouping_text(grouped(numbered(50), **fields)) == (
        "50 queries in 49 groups: 2 tied by the same conversation"
        " (e.g. q20 and q21 have the same conversation)"
        "; not grouped by the same entity, which ties 11 of 50 queries together"
    )


def test_the_way_out_is_shown_where_judgments_alone_tie_into_few_groups() -> None:
    tied = grouped(numbered(3), [("q00", "D"), ("q01", "D")])
    assert told(tied, "do this") == (
        f"{grouping_text(tied)}. Next: if each is a question of its own all the same: do this"
    )
    declared = grouped(numbered(3), template={"q00": "t", "q01": "t"})
    assert told(declared, "do this") == grouping_text(declared)
    many = grouped(numbered(102), [("q000", "D"), ("q01", "D"), ("q02", "D")])
    assert told(many, "do this") == grouping_text(many)


NAMES = st.sampled_from([f"q{i:02}" for i in range(6)])


@given(st.lists(st.tuples(NAMES, st.sampled_from("XYZ")), max_size=10))
def test_something_is_tied_exactly_where_groups_are_fewer_than_queries(pairs: Pairs) -> None:
    grouping = grouped(numbered(6), pairs)
    assert bool(ties_of(grouping)) == (len(grouping.members) < 6)
    for tie in ties_of(grouping):
        first, second = tie.example[:2]
        assert grouping.component[first] == grouping.component[second]
        assert {(first, tie.value), (second, tie.value)} <= set(grouping.links[tie.key])
