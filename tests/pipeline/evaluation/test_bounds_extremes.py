"""Extremes of one query's difference over what nobody judged: every assignment lies inside."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evaluation.bounds.duel import Duel, duels
from pipeline.evaluation.bounds.extremes import Extremes, extremes
from pipeline.measures import parse_measure, per_query

RATIOS = ("nDCG@3", "nDCG", "nDCG(dcg='exp-log2')@2", "R@2", "R(rel=2)@3", "P@3", "RBP(p=0.5)")
OTHERS = ("RR@3", "AP@3", "AP", "Success@2", "ZeroHit@2", "Bpref")


def one(duel: Duel, measure: str, scale: tuple[int, int] = (0, 2), rel: int = 1) -> Extremes:
    """The extremes of a single query."""
    return extremes([duel], parse_measure(measure), rel=rel, scale=scale)[0]


def differences(
    duel: Duel, measure: str, assignments: Sequence[Mapping[str, int]], rel: int = 1
) -> list[float]:
    """What the public measures say when assumed grades are judgments: one query for each."""
    queries = [f"q{number:04}" for number in range(len(assignments))]
    graded = [
        (query, evidence, grade)
        for query, assumed in zip(queries, assignments, strict=True)
        for evidence, grade in {**duel.grades, **assumed}.items()
    ]
    judgments = pl.DataFrame(
        graded,
        schema={"query_id": pl.String, "evidence_id": pl.String, "grade": pl.Int64},
        orient="row",
    )
    ours, theirs = (
        per_query(run(items, queries), judgments, [measure], rel=rel, queries=queries)["value"]
        for items in (duel.ours, duel.theirs)
    )
    return (ours - theirs).to_list()


def run(items: Sequence[str], queries: Sequence[str]) -> pl.DataFrame:
    """The same list for every query."""
    rows = [(query, rank, item) for query in queries for rank, item in enumerate(items, start=1)]
    schema = {"query_id": pl.String, "rank": pl.Int64, "evidence_id": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def every_difference(duel: Duel, measure: str, scale: tuple[int, int]) -> list[float]:
    """The difference under each assignment of every grade of the scale."""
    grades = range(scale[0], scale[1] + 1)
    assignments = itertools.product(grades, repeat=len(duel.unjudged))
    return differences(
        duel, measure, [dict(zip(duel.unjudged, assigned, strict=True)) for assigned in assignments]
    )


@st.composite
def small_duels(draw: st.DrawFn) -> Duel:
    """Two short lists with at most four unjudged items, and one relevant judgment at least."""
    listed = st.lists(st.sampled_from("abcdefg"), min_size=0, max_size=3, unique=True)
    ours, theirs = tuple(draw(listed)), tuple(draw(listed))
    held = sorted({*ours, *theirs})
    unjudged = draw(st.sets(st.sampled_from(held), max_size=4)) if held else set()
    grades = {item: draw(st.integers(0, 2)) for item in held if item not in unjudged}
    return Duel("q", ours, theirs, {**grades, "elsewhere": 2, "y": draw(st.integers(0, 2))})


def test_ndcg_by_hand() -> None:
    # Ours shows the unjudged u first, theirs the judged b: grade 1 of at most 2.
    duel = Duel("q", ("u",), ("b",), {"b": 1})
    found = one(duel, "nDCG@1")
    # u at grade 2 becomes the ideal: 2/2 - 1/2. u at 0 leaves 0/1 - 1/1.
    assert (found.best, found.worst, found.exact) == (0.5, -1.0, True)


def test_the_ideal_grows_with_the_assumed_grades() -> None:
    # Both lists hold a first; u stands second in ours. Recall of ours: 2/2, of theirs: 1/2.
    found = one(Duel("q", ("a", "u"), ("a",), {"a": 1}), "R@2")
    assert (found.best, found.worst) == (0.5, 0.0)


def test_a_grade_between_can_be_the_best() -> None:
    # Theirs shows u, too, one rank lower. All grades are tried, not only the ends of the scale.
    duel = Duel("q", ("b", "u"), ("c", "b", "u"), {"b": 2, "c": 0})
    found = one(duel, "nDCG@3", scale=(0, 3))
    every = every_difference(duel, "nDCG@3", (0, 3))
    assert found.best == pytest.approx(max(every))
    assert found.worst == pytest.approx(min(every))


def test_nothing_unjudged_leaves_the_difference_as_it_is() -> None:
    duel = Duel("q", ("a", "b"), ("b", "a"), {"a": 2, "b": 0})
    found = one(duel, "nDCG@2")
    assert found.best == found.worst == pytest.approx(1 - 1 / math.log2(3))


@settings(max_examples=60, deadline=None)
@given(duel=small_duels(), measure=st.sampled_from(RATIOS))
def test_ratios_are_exact(duel: Duel, measure: str) -> None:
    found = one(duel, measure)
    every = every_difference(duel.cut(parse_measure(measure).cutoff), measure, (0, 2))
    assert found.exact
    assert found.best == pytest.approx(max(every), abs=1e-9)
    assert found.worst == pytest.approx(min(every), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(duel=small_duels(), measure=st.sampled_from(OTHERS), low=st.sampled_from([-1, 0]))
def test_other_measures_are_exact_by_enumeration(duel: Duel, measure: str, low: int) -> None:
    found = one(duel, measure, (low, 2))
    every = every_difference(duel.cut(parse_measure(measure).cutoff), measure, (low, 2))
    assert found.exact
    assert found.best == pytest.approx(max(every), abs=1e-9)
    assert found.worst == pytest.approx(min(every), abs=1e-9)


@settings(max_examples=60, deadline=None)
@given(
    duel=small_duels(),
    measure=st.sampled_from([*RATIOS, *OTHERS]),
    rel=st.sampled_from([1, 2]),
)
def test_where_nothing_relevant_is_known_one_item_must_be(
    duel: Duel, measure: str, rel: int
) -> None:
    nothing = {item: min(grade, rel - 1) for item, grade in duel.grades.items()}
    parsed = parse_measure(measure)
    left_out = replace(duel, grades=nothing)
    duel = left_out.cut(parsed.cutoff)
    needed = max(rel, parsed.rel or 0)
    assignments = [
        dict(zip(duel.unjudged, assigned, strict=True))
        for assigned in itertools.product(range(3), repeat=len(duel.unjudged))
        if max(assigned, default=0) >= needed
    ]
    if not assignments:
        return
    every = differences(duel, measure, assignments, rel)
    found = extremes([left_out], parsed, rel=rel, scale=(0, 2), needed=needed)[0]
    assert found.exact
    assert found.best == pytest.approx(max(every), abs=1e-9)
    assert found.worst == pytest.approx(min(every), abs=1e-9)


@pytest.mark.parametrize("measure", ["RR", "AP", "Success@20", "ZeroHit@20", "Bpref"])
def test_many_unjudged_items_give_outer_bounds_that_say_so(measure: str) -> None:
    ours, theirs = (tuple(f"{who}{number}" for number in range(20)) for who in "ot")
    duel = Duel("q", ours, theirs, {"elsewhere": 1})
    found = one(duel, measure)
    assert not found.exact
    nothing = dict.fromkeys(duel.unjudged, 0)
    helped = [{**nothing, **dict.fromkeys(items, 2)} for items in (ours, theirs)]
    for value in differences(duel, measure, helped):
        assert found.worst <= value <= found.best


@settings(max_examples=40, deadline=None)
@given(
    lists=st.tuples(*[st.permutations([f"d{n:02}" for n in range(16)])] * 2),
    assumed=st.lists(st.integers(0, 2), min_size=16, max_size=16),
    measure=st.sampled_from(["RR", "AP", "Success@10", "ZeroHit@10", "Bpref"]),
)
def test_no_assignment_of_many_falls_outside_the_outer_bounds(
    lists: tuple[list[str], list[str]], assumed: list[int], measure: str
) -> None:
    ours, theirs = (tuple(listed[:12]) for listed in lists)
    duel = Duel("q", ours, theirs, {"elsewhere": 1, "nothing": 0})
    found = one(duel, measure)
    grades = {f"d{n:02}": grade for n, grade in enumerate(assumed)}
    (value,) = differences(duel, measure, [{item: grades[item] for item in duel.unjudged}])
    assert found.worst - 1e-9 <= value <= found.best + 1e-9


def test_many_unjudged_items_are_still_exact_for_ndcg() -> None:
    ours = tuple(f"o{number}" for number in range(20))
    found = one(Duel("q", ours, ("a",), {"a": 2}), "nDCG@10")
    # All of ours at 2: ten ideal ranks filled, a's gain is one of them.
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, 11))
    assert found.exact
    assert found.best == pytest.approx(1 - 1 / ideal)


def test_a_query_without_lists_is_a_duel_of_nothing() -> None:
    lists = run(["a"], ["q"])
    judgments = pl.DataFrame({"query_id": ["q"], "evidence_id": ["a"], "grade": [1]})
    assert duels(lists, lists, judgments, ["q", "without lists"]) == [
        Duel("q", ("a",), ("a",), {"a": 1}),
        Duel("without lists", (), (), {}),
    ]
