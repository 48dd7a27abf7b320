"""The stage pool: what is put up for judging, and how much is judged."""

from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.params import Params
from pipeline.pool import Pool, compute
from pipeline.tables import CANDIDATE_QUERIES, CANDIDATES
from tests.rows import candidates, documents, judgments, params, queries, splits, table

BRANCHES = {"bm25": {"kind": "bm25"}, "dense": {"kind": "dense"}}
LISTS = candidates(
    {("bm25", "q1"): ["d1", "d2"], ("dense", "q1"): ["d3", "d1"], ("bm25", "q2"): ["d4"]}
)
TEXTS = {f"d{i}": f"valve number {i}" for i in range(1, 6)}


def study(**sections: Any) -> Params:
    return params(
        BRANCHES,
        **({"pool": {"depth": 2}, "context": {"depth": 1}} | sections),
        evaluation={"measures": ["nDCG@3", "Bpref"]},
    )


def pooled(lists: pl.DataFrame = LISTS, **inputs: Any) -> Pool:
    asked = queries({"q1": "valve", "q2": "pump"})
    given = {
        "documents": documents(TEXTS),
        "queries": asked,
        "judgments": judgments({}),
        "splits": splits({"q1": "dev", "q2": "test"}),
        "candidates": lists,
        "candidate_queries": CANDIDATE_QUERIES.empty(),
        "params": study(),
    }
    return compute(**(given | inputs))


def test_a_document_that_two_branches_found_is_one_pair() -> None:
    pairs = pooled().pool.select("query_id", "evidence_id").rows()
    assert pairs == [("q1", "d1"), ("q1", "d2"), ("q1", "d3"), ("q2", "d4")]


def test_the_pool_stops_at_its_depth() -> None:
    pairs = pooled(params=study(pool={"depth": 1})).pool.filter(query_id="q1")
    assert pairs["evidence_id"].to_list() == ["d1", "d3"]


def test_what_is_judged_unknown_abstained_and_unjudged_stays_apart() -> None:
    graded = judgments({("q1", "d1"): 0, ("q1", "d2"): "unknown", ("q1", "d3"): "abstained"})
    pool = pooled(judgments=graded).pool
    assert pool["status"].to_list() == ["judged", "unknown", "abstained", "unjudged"]


def test_coverage_counts_items_of_each_system_side_and_cutoff() -> None:
    coverage = pooled(judgments=judgments({("q1", "d1"): 1, ("q1", "d3"): "unknown"})).coverage
    found = {row[:3]: row[3:5] for row in coverage.rows()}
    assert coverage["cutoff"].unique().sort().to_list() == [1, 2, 3]
    assert found["bm25", "dev", 1] == (1, 1)
    assert found["bm25", "dev", 3] == (1, 2)
    assert found["dense", "dev", 2] == (1, 2)
    assert found["dense", "test", 3] == (0, 0)
    assert found["rrf_60", "dev", 3] == (1, 3)


def test_judged_pairs_below_the_pools_depth_count_at_deeper_cutoffs() -> None:
    lists = candidates({("bm25", "q1"): ["d1", "d2", "d3"]})
    coverage = pooled(lists, judgments=judgments({("q1", "d3"): 1})).coverage
    assert coverage.filter(system="bm25", split="dev")["judged"].to_list() == [0, 0, 1]


def test_the_whole_grid_pools_at_least_what_the_defaults_do() -> None:
    grid = pooled(params=study(pool={"depth": 1, "systems": "grid"}))
    defaults = pooled(params=study(pool={"depth": 1}))
    assert set(defaults.pool.rows()) <= set(grid.pool.rows())
    assert grid.summary["systems"] > defaults.summary["systems"]  # type: ignore[operator]


def test_no_candidates_give_empty_tables_and_zeros() -> None:
    result = pooled(CANDIDATES.empty())
    assert result.pool.height == 0
    assert result.summary["judged_share"] is None
    assert result.composition.filter(kind="all")["pairs"].item() == 0


def test_an_unknown_measure_is_refused_under_its_key() -> None:
    wrong = params({"bm25": {"kind": "bm25"}}, evaluation={"measures": ["ERR@10"]})
    with pytest.raises(ParameterError, match=r"^evaluation\.measures: .*ERR@10"):
        pooled(CANDIDATES.empty(), params=wrong)


def test_one_branch_alone_can_be_pooled() -> None:
    lists = candidates({("bm25", "q1"): ["d1"]})
    alone = params({"bm25": {"kind": "bm25"}}, pool={"depth": 2})
    assert pooled(lists, params=alone).pool.height == 1


def test_kinds_of_queries_are_counted_with_their_pairs() -> None:
    asked = queries({"q1": "why does PAY-1047 fail", "q2": "pump"}, answerable={"q2": False})
    states = table(
        CANDIDATE_QUERIES,
        [
            {"branch": "bm25", "query_id": q, "status": "ok", "returned": 1, "eligible": n}
            for q, n in {"q1": 5, "q2": 3}.items()
        ],
    )
    result = pooled(queries=asked, candidate_queries=states)
    counts = {kind: (queries, pairs) for kind, queries, pairs, _ in result.composition.rows()}
    assert counts == {
        "all": (2, 4),
        "branches_agree": (0, 0),
        "branches_disagree": (1, 3),
        "exact_terms": (1, 3),
        "filtered": (1, 1),
        "nothing_relevant": (1, 1),
        "paraphrase": (0, 0),
    }


def test_branches_agree_where_their_first_items_are_mostly_the_same() -> None:
    lists = candidates({("bm25", "q1"): ["d1", "d2"], ("dense", "q1"): ["d1", "d3"]})
    kinds = dict(pooled(lists).composition.select("kind", "queries").rows())
    assert (kinds["branches_agree"], kinds["branches_disagree"]) == (1, 0)


@pytest.mark.parametrize(("text", "count"), [("faucet spout dripping", 1), ("valve number", 0)])
def test_a_query_that_shares_few_terms_with_its_evidence_is_a_paraphrase(
    text: str, count: int
) -> None:
    result = pooled(queries=queries({"q1": text}), judgments=judgments({("q1", "d1"): 2}))
    assert result.composition.filter(kind="paraphrase")["queries"].item() == count


@given(st.permutations([("bm25", "q1"), ("dense", "q1"), ("bm25", "q2")]))
@settings(deadline=None, max_examples=5)
def test_the_order_of_rows_changes_nothing(order: list[tuple[str, str]]) -> None:
    parts = [LISTS.filter(branch=branch, query_id=query) for branch, query in order]
    assert pooled(pl.concat(parts)).pool.equals(pooled().pool)


def test_bounds_of_a_judged_share_go_by_query_group() -> None:
    lists = candidates({("bm25", name): ["d1", "d2"] for name in ("q1", "q2")})
    graded = judgments({("q1", "d1"): 1, ("q1", "d2"): 0})
    sides = splits({"q1": "dev", "q2": "dev"})
    row = pooled(lists, judgments=graded, splits=sides).coverage.row(
        by_predicate=(pl.col("system") == "bm25") & (pl.col("cutoff") == 2), named=True
    )
    # All of one query and none of the other: four items, and only two groups to tell from.
    assert (row["judged"], row["returned"]) == (2, 4)
    assert row["low"] < 0.02
    assert row["high"] > 0.98
