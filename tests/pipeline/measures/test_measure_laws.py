"""Measures on any list: a slow twin, ir_measures, and laws that always hold."""

import math
import os
import subprocess
import sys
from collections.abc import Callable

import ir_measures
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.measures import (
    Lists,
    Truth,
    arrange,
    judged_pairs,
    measure_lists,
    parse_measure,
    per_query,
)

QUERIES, EVIDENCE = ["q1", "q2", "q3"], [f"e{i:02}" for i in range(12)]
ANY_GRADE, RELEVANT_FROM_1 = st.integers(-2, 4), st.integers(0, 4)

Rankings = dict[str, list[str]]
Grades = dict[str, dict[str, int]]

rankings = st.dictionaries(
    st.sampled_from(QUERIES), st.lists(st.sampled_from(EVIDENCE), unique=True), max_size=3
)


def judgments(grade: st.SearchStrategy[int]) -> st.SearchStrategy[Grades]:
    pairs = st.dictionaries(st.sampled_from(EVIDENCE), grade, min_size=1)
    return st.dictionaries(st.sampled_from(QUERIES), pairs, min_size=1)


def run_frame(lists: Rankings) -> pl.DataFrame:
    rows = [(q, rank, e) for q, items in lists.items() for rank, e in enumerate(items, start=1)]
    schema = {"query_id": pl.String, "rank": pl.Int64, "evidence_id": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def judgment_frame(grades: Grades) -> pl.DataFrame:
    rows = [(q, e, grade) for q, items in grades.items() for e, grade in items.items()]
    schema = {"query_id": pl.String, "evidence_id": pl.String, "grade": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def found(lists: Rankings, grades: Grades, name: str, rel: int = 1) -> dict[str, float | None]:
    table = per_query(run_frame(lists), judgment_frame(grades), [name], rel=rel)
    return dict(table.select("query_id", "value").iter_rows())


# Slow twins: one list, plain Python, straight from the textbook.


def slow_ndcg(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    def dcg(gains: list[int]) -> float:
        return sum(max(g, 0) / math.log2(rank + 1) for rank, g in enumerate(gains[:k], start=1))

    return dcg([grades.get(e, 0) for e in items]) / dcg(sorted(grades.values(), reverse=True))


def slow_recall(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    relevant = {e for e, grade in grades.items() if grade >= rel}
    return len(relevant & set(items[:k])) / len(relevant)


def slow_precision(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    return sum(grades.get(e, 0) >= rel for e in items[:k]) / k


def slow_reciprocal_rank(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    ranks = [rank for rank, e in enumerate(items[:k], start=1) if grades.get(e, 0) >= rel]
    return 1 / ranks[0] if ranks else 0.0


def slow_average_precision(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    hits, added = 0, 0.0
    for rank, e in enumerate(items[:k], start=1):
        if grades.get(e, 0) >= rel:
            hits += 1
            added += hits / rank
    return added / sum(grade >= rel for grade in grades.values())


def slow_success(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    return float(any(grades.get(e, 0) >= rel for e in items[:k]))


def slow_bpref(items: list[str], grades: dict[str, int], k: int, rel: int) -> float:
    relevant = sum(grade >= rel for grade in grades.values())
    others = sum(0 <= grade < rel for grade in grades.values())
    above, added = 0, 0.0
    for e in items:
        if grades.get(e, -1) >= rel:
            added += 1 - min(above, relevant) / min(others, relevant) if above else 1
        elif grades.get(e, -1) >= 0:
            above += 1
    return added / relevant


TWINS: dict[str, Callable[[list[str], dict[str, int], int, int], float]] = {
    "nDCG@5": slow_ndcg,
    "R@5": slow_recall,
    "P@5": slow_precision,
    "RR@5": slow_reciprocal_rank,
    "AP@5": slow_average_precision,
    "Success@5": slow_success,
    "Bpref": slow_bpref,
}


@pytest.mark.parametrize("name", TWINS)
@settings(max_examples=50)
@given(lists=rankings, grades=judgments(ANY_GRADE), rel=st.integers(1, 2))
def test_equals_its_slow_twin(name: str, lists: Rankings, grades: Grades, rel: int) -> None:
    for query, value in found(lists, grades, name, rel).items():
        if any(grade >= rel for grade in grades[query].values()):
            slow = TWINS[name](lists.get(query, []), grades[query], 5, rel)
            assert value == pytest.approx(slow, abs=1e-12)
        else:
            assert value is None


FOREIGN = ["nDCG@5", "nDCG", "R@3", "P@4", "RR", "RR@3", "AP", "AP@6", "Success@3", "Bpref"]


@settings(max_examples=60, deadline=None)
@given(lists=rankings, grades=judgments(RELEVANT_FROM_1))
def test_equals_ir_measures_wherever_a_relevant_item_is_known(
    lists: Rankings, grades: Grades
) -> None:
    # Scores fall by whole numbers, so that no tie rule can matter. An empty list is left out:
    # it ends the process in pytrec_eval; a query that the run lacks is 0 there as well.
    run = {
        q: {e: float(-rank) for rank, e in enumerate(items)} for q, items in lists.items() if items
    }
    theirs = {
        (metric.query_id, str(metric.measure)): metric.value
        for metric in ir_measures.iter_calc(
            [ir_measures.parse_measure(name) for name in FOREIGN], grades, run
        )
    }
    ours = per_query(run_frame(lists), judgment_frame(grades), FOREIGN)
    for query, name, value in ours.drop_nulls("value").iter_rows():
        assert value == pytest.approx(theirs.get((query, name), 0.0), abs=1e-6), (query, name)


ALL = [*TWINS, "nDCG(dcg='exp-log2')@5", "RBP", "Judged@5", "ZeroHit@5", "nDCG(judged_only=True)@5"]


@settings(max_examples=60, deadline=None)
@given(lists=rankings, grades=judgments(ANY_GRADE), seed=st.integers(0, 2**16))
def test_lies_between_0_and_1_and_does_not_depend_on_row_order(
    lists: Rankings, grades: Grades, seed: int
) -> None:
    run, judged = run_frame(lists), judgment_frame(grades)
    table = per_query(run, judged, ALL)
    assert table["value"].drop_nulls().is_between(0.0, 1.0 + 1e-12).all()
    run, judged = (frame.sample(fraction=1.0, shuffle=True, seed=seed) for frame in (run, judged))
    assert per_query(run, judged, reversed(ALL)).equals(table)


@settings(max_examples=60)
@given(
    items=st.lists(st.sampled_from(EVIDENCE), unique=True, min_size=2),
    grades=judgments(RELEVANT_FROM_1),
)
def test_moving_a_better_item_up_never_lowers_ndcg(items: list[str], grades: Grades) -> None:
    query, known = next(iter(grades.items()))
    better = sorted(items[:2], key=lambda e: -known.get(e, 0)) + items[2:]
    before, after = found({query: items}, grades, "nDCG"), found({query: better}, grades, "nDCG")
    if before[query] is not None:
        assert after[query] >= before[query] - 1e-12  # type: ignore[operator]


@settings(max_examples=40, deadline=None)
@given(lists=st.lists(rankings, min_size=1, max_size=4), grades=judgments(ANY_GRADE))
def test_many_systems_in_one_array_equal_each_by_itself(
    lists: list[Rankings], grades: Grades
) -> None:
    pairs, queries = judged_pairs(judgment_frame(grades)), sorted(grades)
    each = [arrange(run_frame(one), pairs, queries=queries) for one in lists]
    truth, depth = each[0][1], max(one.grades.shape[1] for one, _ in each)
    stacked = Lists(
        np.stack([_widened(one.grades, depth) for one, _ in each]),
        np.stack([one.returned for one, _ in each]),
        np.zeros((len(each), len(queries), depth), dtype=bool),
    )
    for name in ALL:
        together = measure_lists(parse_measure(name), stacked, truth, rel=1)
        for values, (one, alone) in zip(together, each, strict=True):
            np.testing.assert_array_equal(
                values, measure_lists(parse_measure(name), one, alone, rel=1)
            )


def _widened(grades: np.ndarray, depth: int) -> np.ndarray:
    missing = depth - grades.shape[1]
    return np.pad(grades, ((0, 0), (0, missing)), constant_values=np.iinfo(np.int64).min)


def test_a_query_without_judgments_has_no_ideal() -> None:
    lists, truth = arrange(
        run_frame({"q1": ["e00"]}), judged_pairs(judgment_frame({})), queries=["q1"]
    )
    assert isinstance(truth, Truth)
    assert np.isnan(measure_lists(parse_measure("nDCG@5"), lists, truth, rel=1)).all()


SCRIPT = """
import polars as pl
from pipeline.measures import per_query
run = pl.DataFrame({"query_id": ["q"] * 3, "rank": [1, 2, 3], "evidence_id": ["d3", "d1", "d2"]})
judged = pl.DataFrame({"query_id": ["q"], "evidence_id": ["d1"], "grade": [1]})
print(per_query(run, judged, {"RR", "nDCG@3"}).rows())
"""


def test_two_hash_seeds_give_the_same_table() -> None:
    printed = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert "0.5" in printed.pop()


def test_judged_pairs_come_in_one_order_so_that_sums_over_them_are_the_same() -> None:
    grades = {f"q{n % 40:02}": {f"e{m:03}": (n + m) % 4 for m in range(60)} for n in range(40)}
    rows = judgment_frame(grades)
    pairs = judged_pairs(rows.sample(fraction=1.0, shuffle=True, seed=3))
    assert pairs.equals(pairs.sort("query_id", "evidence_id"))
    assert pairs.equals(judged_pairs(rows))
