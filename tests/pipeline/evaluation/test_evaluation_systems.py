"""Lists and values of every system, on five queries worked by hand (see five_queries_study)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
import pytest
from five_queries_study import (
    GRADES,
    LISTS,
    OPENED,
    SIDE,
    as_selection,
    five_queries,
    judged,
    listed,
    parameters,
    retrieved,
    row,
)
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.errors import ContractError
from pipeline.evaluation import compute
from pipeline.evaluation.rankings import with_lists
from pipeline.fusion import Configuration
from pipeline.tables import DEV_JUDGMENTS, RUNS

SECOND = 1 / math.log2(3)


def test_every_system_is_ranked() -> None:
    runs = compute(**five_queries()).runs
    # RRF, k = 60: b is 2nd and 1st, a is 1st and 3rd, d is 2nd once, c is 3rd once.
    assert listed(runs, "selected", "q1") == listed(runs, "rrf_60", "q1") == "b a d c"
    assert listed(runs, "words", "q1") == "a b c"
    # The union starts with the branch best on dev, `vectors`.
    assert listed(runs, "round_robin", "q2") == "g e f"
    assert listed(runs, "round_robin_from_words", "q2") == "e g f"
    # `p1` and `p2` carry one evidence: one row, unless collapse is switched off.
    assert listed(runs, "selected", "q4") == "m p1 l"
    assert listed(runs, "no_collapse", "q4") == "m p1 l p2"


def test_runs_hold_every_query_whatever_its_side() -> None:
    runs = compute(**five_queries()).runs
    selected = runs.filter(pl.col("system") == "selected")
    assert selected["query_id"].unique().sort().to_list() == list(SIDE)


def test_with_two_branches_dropping_one_is_the_other_branch() -> None:
    systems = compute(**five_queries()).systems["system"].unique().to_list()
    assert not [name for name in systems if name.startswith("without_")]


def test_with_three_branches_each_is_dropped_once() -> None:
    lists = {**LISTS, "links": dict.fromkeys(SIDE, "z")}
    branches = {name: {"kind": "recorded", "run": name, "depth": 3} for name in lists}
    three = Configuration.of(
        "rrf", rank_constant=60, weights=dict.fromkeys(lists, 1), depths=dict.fromkeys(lists, 3)
    )
    inputs = five_queries(candidates=retrieved(lists), params=parameters(candidates=branches))
    inputs["selection"] |= {"configuration": as_selection(three)}
    runs = compute(**inputs).runs
    assert listed(runs, "without_links", "q1") == "b a d c"
    assert listed(runs, "without_words", "q2") == "g z e"


def test_values_by_hand() -> None:
    per_query = compute(**five_queries(ledger=[OPENED])).per_query

    def value(system: str, query: str, measure: str = "nDCG@2") -> Any:
        return row(per_query, system=system, query_id=query, measure=measure)["value"]

    # q1: b has grade 3, d 1; ideal 3 + 1/log2 3. The selected list starts with b, a.
    assert value("selected", "q1") == pytest.approx(3 / (3 + SECOND))
    # `vectors` returns b, d: the ideal.
    assert value("vectors", "q1") == 1.0
    # q2: f is third of the selected list; q4: p is second.
    assert value("selected", "q2") == 0.0
    assert value("selected", "q4") == pytest.approx(SECOND)
    # q1 requires b and d, of which the selected list has b; q2 requires nothing.
    assert value("selected", "q1", "EvidenceCoverage@2") == 0.5
    assert value("selected", "q2", "EvidenceCoverage@2") is None


def test_a_second_document_of_an_evidence_gains_nothing() -> None:
    lists = {"words": {"q1": "p1 p2 b"}, "vectors": {}}
    inputs = five_queries(
        candidates=retrieved(lists),
        dev_judgments=judged(DEV_JUDGMENTS, {"q1": {"p": 1, "b": 1}}),
    )
    per_query = compute(**inputs).per_query
    assert row(per_query, system="no_collapse", query_id="q1", measure="R@2")["value"] == 0.5
    assert row(per_query, system="selected", query_id="q1", measure="R@2")["value"] == 1.0


def test_means_are_over_ranked_queries_only() -> None:
    systems = compute(**five_queries(ledger=[OPENED])).systems
    found = row(systems, system="selected", split="test", measure="nDCG@2")
    # q3 is perfect, q4 has its evidence second; q5 is unanswerable and stays out.
    assert found["value"] == pytest.approx((1 + SECOND) / 2)
    assert (found["queries"], found["groups"], found["role"]) == (2, 2, "selected")


def test_a_query_without_results_scores_zero_and_stays_in() -> None:
    lists = {**LISTS, "vectors": {**LISTS["vectors"], "q2": ""}}
    found = row(
        compute(**five_queries(candidates=retrieved(lists))).systems,
        system="vectors",
        split="dev",
        measure="nDCG@2",
    )
    assert (found["value"], found["queries"]) == (0.5, 2)


def test_values_equal_a_slow_twin() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    seen = 0
    for system, query, measure, found in result.per_query.select(
        "system", "query_id", "measure", "value"
    ).iter_rows():
        if measure in TWINS:
            runs = result.runs.filter((pl.col("system") == system) & (pl.col("query_id") == query))
            evidence = runs.sort("rank")["evidence_id"].to_list()
            assert found == pytest.approx(TWINS[measure](evidence, GRADES[query]))
            seen += 1
    assert seen == 4 * len(TWINS) * result.systems["system"].n_unique()


def _first_places(items: Sequence[str], cutoff: int) -> Iterator[tuple[int, str]]:
    for place, item in enumerate(items[:cutoff], start=1):
        if item not in items[: place - 1]:
            yield place, item


def _ndcg(items: Sequence[str], grades: Mapping[str, int]) -> float:
    found = sum(
        grades.get(item, 0) / math.log2(place + 1) for place, item in _first_places(items, 2)
    )
    ideal = sorted(grades.values(), reverse=True)[:2]
    return found / sum(grade / math.log2(place + 1) for place, grade in enumerate(ideal, start=1))


def _recall(items: Sequence[str], grades: Mapping[str, int]) -> float:
    relevant = {item for item, grade in grades.items() if grade > 0}
    return len(relevant.intersection(items[:2])) / len(relevant)


TWINS = {
    "nDCG@2": _ndcg,
    "R@2": _recall,
    "P@1": lambda items, grades: float(any(grades.get(item, 0) > 0 for item in items[:1])),
}


def test_the_oracle_union_puts_the_highest_grades_first() -> None:
    result = compute(**five_queries())
    assert listed(result.runs, "oracle_union", "q1") == "b d a c"
    assert row(result.systems, system="oracle_union", split="dev", measure="nDCG@2")["value"] == 1.0
    assert row(result.systems, system="oracle_union", measure="nDCG@2")["role"] == "diagnostic"


def test_the_best_branch_of_each_query() -> None:
    runs = compute(**five_queries(ledger=[OPENED])).runs
    assert listed(runs, "best_branch_per_query", "q1") == listed(runs, "vectors", "q1")
    assert listed(runs, "best_branch_per_query", "q2") == listed(runs, "words", "q2")


@given(st.sets(st.sampled_from("abcdef")), st.sets(st.sampled_from("abcdef")))
def test_further_systems_come_to_their_places_among_the_others(
    some: set[str], more: set[str]
) -> None:
    def runs(systems: set[str]) -> pl.DataFrame:
        rows = [(s, q, 1, "d", "e", 1.0) for s in sorted(systems) for q in ("q1", "q2")]
        return pl.DataFrame(rows, schema=dict(RUNS.columns), orient="row")

    if some & more:
        with pytest.raises(ContractError, match="repeat the key"):
            with_lists(runs(some), runs(more))
    else:
        assert_frame_equal(with_lists(runs(some), runs(more)), runs(some | more))
