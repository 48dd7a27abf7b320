"""Query groups are connected components of what queries share."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pipeline.splits.grouping import Grouping, components, group_queries
from tests.rows import documents, judgments, params, queries

Pairs = list[tuple[str, str]]


def groups(grouping: Grouping) -> list[list[str]]:
    return list(grouping.members.values())


def by_fields(count: int, **fields: dict[str, Any]) -> Grouping:
    return group_queries(
        queries({f"q{i}": f"text {i}" for i in range(count)}, **fields),
        judgments({}),
        documents({"d": ""}),
        params({"bm25": {"kind": "bm25"}}),
    )


def by_evidence(pairs: Pairs, grade: int = 1, **splits: Any) -> Grouping:
    return group_queries(
        queries({query: query for query, _ in pairs}),
        judgments(dict.fromkeys(pairs, grade)),
        documents({evidence: "" for _, evidence in pairs}),
        params({"bm25": {"kind": "bm25"}}, splits=splits),
    )


def test_queries_that_share_relevant_evidence_in_a_chain_are_one_group() -> None:
    pairs = [("q1", "d1"), ("q2", "d1"), ("q2", "d2"), ("q3", "d2"), ("q4", "d9")]
    assert groups(by_evidence(pairs)) == [["q1", "q2", "q3"], ["q4"]]


def test_evidence_that_is_not_relevant_ties_nothing() -> None:
    pairs = [("q1", "d1"), ("q2", "d1")]
    assert groups(by_evidence(pairs, grade=0)) == [["q1"], ["q2"]]


def test_evidence_of_one_source_ties() -> None:
    grouping = group_queries(
        queries({"q1": "a", "q2": "b"}),
        judgments({("q1", "d1"): 1, ("q2", "d2"): 1}),
        documents({"d1": "", "d2": ""}, source_id={"d1": "s", "d2": "s"}),
        params({"bm25": {"kind": "bm25"}}),
    )
    assert groups(grouping) == [["q1", "q2"]]


def test_declared_keys_tie_across_each_other() -> None:
    grouping = by_fields(4, conversation={"q0": "c", "q1": "c"}, template={"q1": "t", "q2": "t"})
    assert groups(grouping) == [["q0", "q1", "q2"], ["q3"]]
    assert grouping.keys == ("conversation", "template", "text")


def test_values_of_different_keys_do_not_meet() -> None:
    grouping = by_fields(2, conversation={"q0": "x"}, template={"q1": "x"})
    assert groups(grouping) == [["q0"], ["q1"]]


def test_a_paraphrase_joins_its_seed_and_its_siblings() -> None:
    grouping = by_fields(4, paraphrase_of={"q1": "q0", "q2": "q0"})
    assert groups(grouping) == [["q0", "q1", "q2"], ["q3"]]


def test_identical_texts_tie_whatever_their_case_and_blanks() -> None:
    grouping = group_queries(
        queries({"q1": "Red  valve", "q2": "red valve", "q3": None, "q4": None}),
        judgments({}),
        documents({"d": ""}),
        params({"bm25": {"kind": "bm25"}}),
    )
    assert groups(grouping) == [["q1", "q2"], ["q3"], ["q4"]]


def test_declared_keys_stand_in_for_shared_evidence() -> None:
    grouping = group_queries(
        queries({"q1": "a", "q2": "b"}, entity={"q1": "x"}),
        judgments({("q1", "d"): 1, ("q2", "d"): 1}),
        documents({"d": ""}),
        params({"bm25": {"kind": "bm25"}}),
    )
    assert groups(grouping) == [["q1"], ["q2"]]


def test_a_key_that_ties_more_than_a_fifth_of_fifty_queries_is_dropped_and_named() -> None:
    eleven = {f"q{i}": "big" for i in range(11)}
    grouping = by_fields(50, entity=eleven, conversation={"q20": "c", "q21": "c"})
    assert [(drop.key, drop.largest) for drop in grouping.dropped] == [("entity", 11)]
    assert len(groups(grouping)) == 49
    ten = {f"q{i}": "big" for i in range(10)}
    assert by_fields(50, entity=ten).dropped == ()


def test_below_fifty_queries_no_key_is_dropped() -> None:
    assert by_fields(49, entity={f"q{i}": "big" for i in range(30)}).dropped == ()


def test_every_query_is_a_group_where_that_is_declared() -> None:
    pairs = [(f"q{i:02}", "d") for i in range(60)]
    assert len(groups(by_evidence(pairs, independent=True))) == 60


def test_a_query_marked_independent_is_a_group_by_itself() -> None:
    same = {f"q{i}": "c" for i in range(3)}
    grouping = by_fields(3, conversation=same, independent={"q1": True, "q2": False})
    assert groups(grouping) == [["q0", "q2"], ["q1"]]


def test_without_judgments_and_keys_every_query_is_a_group() -> None:
    assert len(groups(by_fields(5))) == 5


NAMES = st.sampled_from([f"q{i}" for i in range(8)])
LINKS = st.lists(st.tuples(NAMES, st.sampled_from("uvwxyz")), max_size=12)


@given(LINKS)
def test_components_agree_with_closure_told_slowly(links: Pairs) -> None:
    ids = [f"q{i}" for i in range(8)]
    together = {query: {query} for query in ids}
    for _ in ids:
        for first, shared in links:
            for second, also in links:
                if shared == also:
                    union = together[first] | together[second]
                    for query in union:
                        together[query] = union
    assert components(ids, links) == {query: min(together[query]) for query in ids}
