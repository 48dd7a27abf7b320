"""A recorded branch that is dead for a part of its run, and says nothing of it."""

import itertools

import numpy as np
import polars as pl
import pytest

from pipeline.silent import by_number, chance_of_row, silences
from pipeline.tables import CANDIDATE_QUERIES
from tests.rows import candidates, params, table

QUERIES = [f"q{number}" for number in range(1, 101)]
IDS = [f"d{number}" for number in range(200)]


def study(*names, kind="recorded"):
    return params(
        {name: {"kind": kind} | ({"run": name} if kind == "recorded" else {}) for name in names}
    )


def lists(*names, seed=0):
    """Each query has ten documents of its own; each branch lists seven of them, somehow."""
    rng = np.random.default_rng(seed)
    own = {query: rng.choice(IDS, 10, replace=False) for query in QUERIES}
    return {
        (name, query): [str(one) for one in rng.choice(own[query], 7, replace=False)]
        for name in names
        for query in QUERIES
    }


def found(listed, *, of, status="ok"):
    rows = [
        {
            "branch": name,
            "query_id": query,
            "status": "ok" if listed.get((name, query)) else status,
            "returned": len(listed.get((name, query), [])),
        }
        for name, query in itertools.product(of.candidates, QUERIES)
    ]
    return silences(
        candidates({key: ids for key, ids in listed.items() if ids}),
        table(CANDIDATE_QUERIES, rows),
        of,
    )


def dead(name, first, last, listed, ids=lambda _: []):
    part = QUERIES[first - 1 : last]
    return listed | {(name, query): ids(query) for query in part}


def test_a_healthy_run_is_not_suspected():
    assert found(lists("a", "b"), of=study("a", "b")) == []


@pytest.mark.parametrize("status", ["empty", "missing"])
def test_empty_lists_in_a_row_by_hand(status):
    (one,) = found(dead("a", 40, 49, lists("a", "b")), of=study("a", "b"), status=status)
    assert (one.branches, one.sign, one.first, one.last) == (("a",), "nothing", "q40", "q49")
    # One place in 91 of C(100, 10) for all ten to stand in a row.
    assert one.chance == pytest.approx(91 / 17_310_309_456_440)
    assert one.text.endswith("q40 to q49, and for 0 of the other 90: it looks dead there")


def test_as_many_empty_lists_here_and_there_are_not_suspected():
    listed = lists("a", "b")
    for number in range(5, 100, 10):
        listed[("a", f"q{number}")] = []
    assert found(listed, of=study("a", "b")) == []


@pytest.mark.parametrize("status", ["timeout", "error", "partial"])
def test_what_is_said_is_not_silent(status):
    assert found(dead("a", 40, 49, lists("a", "b")), of=study("a", "b"), status=status) == []


def test_a_branch_without_any_list_is_told():
    (one,) = found(dead("a", 1, 100, lists("a", "b")), of=study("a", "b"))
    assert one.text == "a lists nothing for any query"


def rubbish(query):
    return [f"x{int(query[1:])}-{place}" for place in range(7)]


def test_a_sudden_loss_of_overlap_names_the_branch_where_a_third_one_tells():
    listed = dead("a", 31, 50, lists("a", "b", "c"), rubbish)
    (one,) = found(listed, of=study("a", "b", "c"))
    assert (one.branches, one.sign) == (("a",), "overlap")
    assert abs(int(one.first[1:]) - 31) <= 4
    assert abs(int(one.last[1:]) - 50) <= 4


def test_of_two_branches_either_may_be_the_dead_one():
    (one,) = found(dead("a", 31, 50, lists("a", "b"), rubbish), of=study("a", "b"))
    assert one.branches == ("a", "b")
    assert one.text.endswith("one of them looks dead there")


def test_branches_that_never_agree_lose_nothing():
    apart = lists("a") | {("b", query): rubbish(query) for query in QUERIES}
    assert found(apart, of=study("a", "b")) == []


def test_a_branch_searched_here_and_now_is_not_suspected():
    of = params({"a": {"kind": "bm25"}, "b": {"kind": "bm25"}})
    assert found(dead("a", 40, 49, lists("a", "b")), of=of) == []


@pytest.mark.parametrize("seed", range(20))
def test_chance_alone_raises_no_alarm(seed):
    rng = np.random.default_rng(seed)
    listed = lists("a", "b", seed=seed)
    for query in rng.choice(QUERIES, 20, replace=False):
        listed[("a", str(query))] = []
    for query in rng.choice(QUERIES, 20, replace=False):
        listed[("b", str(query))] = rubbish(str(query))
    assert found(listed, of=study("a", "b")) == []


def test_ids_are_ordered_by_their_numbers():
    assert sorted(["q10", "q9", "q1"], key=by_number) == ["q1", "q9", "q10"]
    assert sorted(["7b", "7", "a", "10"], key=by_number) == ["7", "7b", "10", "a"]


def test_the_chance_of_a_row_bounds_what_is_counted_out():
    """All placements of 4 empty lists among 9, those with 3 in a row counted."""
    every = list(itertools.combinations(range(9), 4))
    rows = [set(range(start, start + 3)) for start in range(7)]
    share = sum(any(row <= set(one) for row in rows) for one in every) / len(every)
    assert share <= chance_of_row(3, 4, 9) <= 2 * share


def test_rows_in_any_order_give_the_same():
    listed = dead("a", 31, 50, lists("a", "b", "c"), rubbish)
    turned = dict(reversed(listed.items()))
    assert found(listed, of=study("a", "b", "c")) == found(turned, of=study("a", "b", "c"))
    assert pl.DataFrame([one.record() for one in found(turned, of=study("a", "b", "c"))]).height
