"""L and U over every assignment of grades: each falls inside, and one lies at the end where exact.

An assignment may also bring a query into the mean that nothing relevant was known for.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import polars as pl
import pytest
from five_queries_study import row
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evaluation.bounds import bounds
from pipeline.evaluation.differences import compare_queries, primary_differences
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import Comparison
from tests.pipeline.evaluation.test_critical import Grades, Listed, params, part, runs

CLOSE = 1e-9
QUERIES = ("p", "q", "r", "s")


def every_comparison(lists: Listed, grades: Grades) -> Iterator[Comparison]:
    """The comparison under each assignment of the grades 0, 1, 2 to what is listed and unjudged."""
    of = params()
    unjudged = sorted(
        {
            (query, item)
            for by_query in lists.values()
            for query, listed in by_query.items()
            for item in listed.split()
            if (query, item) not in grades
        }
    )
    ours, theirs = runs({"selected": lists["selected"]}), runs({"a": lists["a"]})
    for assigned in itertools.product(range(3), repeat=len(unjudged)):
        held = part(QUERIES, {**grades, **dict(zip(unjudged, assigned, strict=True))})
        differences = primary_differences(ours, theirs, held, of)
        if differences:
            yield compare_queries(differences, "", part=held, params=of)


@st.composite
def small_studies(draw: st.DrawFn) -> tuple[Listed, Grades]:
    """Four queries, two short lists each, and at most four items that nobody judged."""
    listed = st.lists(st.sampled_from("xyz"), max_size=2, unique=True).map(" ".join)
    lists = {
        name: {query: draw(listed) for query in QUERIES if query != "s" or name == "a"}
        for name in ("selected", "a")
    }
    # An empty list leaves no row in a run: s of the selected system has x alone.
    lists["selected"]["s"] = "x"
    held = sorted(
        {
            (query, item)
            for by_query in lists.values()
            for query, text in by_query.items()
            for item in text.split()
        }
    )
    unjudged = draw(st.sets(st.sampled_from(held), max_size=4))
    grades = {pair: draw(st.integers(0, 2)) for pair in held if pair not in unjudged}
    # Without a relevant grade elsewhere a query is in the mean only with a relevant listed item.
    sure = draw(st.sets(st.sampled_from(QUERIES), min_size=2))
    return lists, {**grades, **{(query, "elsewhere"): 1 for query in sure}}


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(small_studies())
def test_no_assignment_falls_outside_and_one_lies_at_each_end_where_exact(
    study: tuple[Listed, Grades],
) -> None:
    lists, grades = study
    table = bounds(runs(lists), ["a"], part(QUERIES, grades), params())
    found = row(table, view="any")
    every = list(every_comparison(lists, grades))
    # A difference without spread has no interval; its mean is where the interval shrinks to.
    least = min(one.delta if one.t_low is None else one.t_low for one in every)
    greatest = max(one.delta if one.t_high is None else one.t_high for one in every)
    assert found["low"] <= least + CLOSE
    assert found["high"] >= greatest - CLOSE
    assert found["exact"] == (found["joining"] == 0)
    if found["exact"]:
        assert found["low"] == pytest.approx(least, abs=CLOSE)
        assert found["high"] == pytest.approx(greatest, abs=CLOSE)


SIXTY = [f"q{number:02d}" for number in range(60)]


def with_twenty_left_out(*, judged: bool) -> tuple[Listed, Grades]:
    """40 queries won, and 20 without anything relevant; the baseline shows an unjudged u there.

    Ours shows x there where it is judged, else nothing.
    """
    won, others = SIXTY[:40], SIXTY[40:]
    ours = dict.fromkeys(won, "x") | (dict.fromkeys(others, "x") if judged else {})
    theirs = {name: ("y x", "y")[place % 2] for place, name in enumerate(won)}
    grades = {(name, "x"): 1 for name in won} | {(name, "y"): 0 for name in won}
    grades |= {(name, "x"): 0 for name in others if judged}
    return {"selected": ours, "a": {**theirs, **dict.fromkeys(others, "u")}}, grades


@pytest.mark.parametrize("judged", [True, False])
def test_a_query_without_anything_relevant_may_join_the_mean(judged: bool) -> None:
    lists, grades = with_twenty_left_out(judged=judged)
    table = bounds(runs(lists), ["a"], part(SIXTY, grades), params())
    found = row(table, view="any")
    assert (found["joining"], found["exact"]) == (20, False)
    # Of the forty: half are won by 1, half by 1 - 1/log2(3).
    worst = row(table, view="worst")
    assert worst["low"] > 0.5
    assert worst["joining"] == 0
    # One grade on each u: twenty more queries, each lost by 1.
    relevant = {**grades, **{(name, "u"): 2 for name in SIXTY[40:]}}
    held, of = part(SIXTY, relevant), params()
    ours, theirs = (runs({name: lists[name]}) for name in ("selected", "a"))
    joined = compare_queries(
        primary_differences(ours, theirs, held, of), ALL_QUERIES, part=held, params=of
    )
    assert joined.queries == 60
    assert joined.delta == pytest.approx((20 + 20 * (1 - 1 / math.log2(3)) - 20) / 60)
    assert joined.t_low is not None
    assert joined.low is not None
    assert found["low"] <= joined.t_low < 0.1
    # Below 60 groups in the mean the gate's own interval is tried with them.
    assert row(table, view="tried")["low"] == pytest.approx(joined.low)


def test_unanswerable_queries_and_judged_lists_stay_out() -> None:
    lists, grades = with_twenty_left_out(judged=True)
    judged = {**grades, **{(name, "u"): 0 for name in SIXTY[40:]}}
    closed = row(bounds(runs(lists), ["a"], part(SIXTY, judged), params()), view="any")
    assert (closed["joining"], closed["exact"]) == (0, True)
    whole = part(SIXTY, grades)
    states = whole.states.with_columns(pl.col("state").replace("no_relevant", "unanswerable"))
    declared = bounds(runs(lists), ["a"], replace(whole, states=states), params())
    assert row(declared, view="any") == closed


def test_one_open_query_among_equal_ones_has_a_lower_l_at_its_best() -> None:
    # Both lists are the same but for q00, where ours shows an item that nobody judged.
    names = [f"q{number:02d}" for number in range(40)]
    lists = {
        "selected": {name: "u" if name == "q00" else "x" for name in names},
        "a": dict.fromkeys(names, "x"),
    }
    grades = {(name, "elsewhere"): 1 for name in names} | {(name, "x"): 0 for name in names}
    table = bounds(runs(lists), ["a"], part(names, grades), params())
    worst, least = row(table, view="worst"), row(table, view="any")
    assert worst["low"] == 0.0
    # One difference d among 40: mean d/40, error d/40, t (39 degrees of freedom, .05) 1.685.
    best = row(table, view="best")["delta"]
    assert least["low"] == pytest.approx(best * (1 - 1.684875))
    assert least["delta"] is None


def test_below_60_groups_the_gates_own_interval_is_tried_and_is_no_bound() -> None:
    names = [f"q{number:02d}" for number in range(60)]
    lists = {
        "selected": dict.fromkeys(names, "u x"),
        "a": {name: ("x u", "y x")[place % 2] for place, name in enumerate(names)},
    }
    grades = {(name, "x"): 2 for name in names} | {(name, "y"): 0 for name in names}
    few = bounds(runs(lists), ["a"], part(names[:59], grades), params())
    many = bounds(runs(lists), ["a"], part(names, grades), params())
    tried = row(few, view="tried")
    assert tried["low"] <= row(few, view="any")["low"] + CLOSE
    assert tried["high"] >= row(few, view="any")["high"] - CLOSE
    assert not tried["exact"]
    assert "tried" not in many["view"].to_list()
