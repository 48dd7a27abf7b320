"""From sweep to evaluation with nothing in between by hand."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from five_queries_study import filled, retrieved

from pipeline import selection, sweep
from pipeline.evaluation import Evaluation, compute
from pipeline.ledger import opening_line, parse_ledger
from pipeline.params import Params, to_params
from pipeline.tables import (
    CANDIDATE_QUERIES,
    DEV_JUDGMENTS,
    DOCUMENTS,
    POOL,
    QUERIES,
    SPLITS,
)

BRANCHES = ("words", "vectors", "links")
QUERY_IDS = [f"q{number:02}" for number in range(24)]


def study(protocol: str) -> Params:
    """Three branches, a small grid."""
    return to_params(
        {
            "study": "chain",
            "collection": {"path": "chain"},
            "splits": {"protocol": protocol, "folds": 3},
            "candidates": {
                name: {"kind": "recorded", "run": name, "depth": 9} for name in BRANCHES
            },
            "sweep": {
                "measures": ["nDCG@5"],
                "methods": ["rrf"],
                "rank_constants": [1, 60],
                "weight_step": 0.5,
                "depths": [9],
            },
            "evaluation": {"measures": ["nDCG@5", "R@5"], "resamples": 100},
        }
    )


def evaluated(protocol: str, *, opened: bool) -> tuple[Evaluation, dict[str, Any]]:
    """Random lists and grades through sweep, selection and evaluation."""
    draws = np.random.default_rng(1)
    documents = [f"d{number}" for number in range(12)]
    lists = {
        name: {query: " ".join(draws.permutation(documents)[:9]) for query in QUERY_IDS}
        for name in BRANCHES
    }
    graded = [
        {"query_id": query, "evidence_id": item, "grade": int(draws.integers(0, 4))}
        for query in QUERY_IDS
        for item in documents[:6]
    ]
    judgments = filled(DEV_JUDGMENTS, [{**line, "status": "judged"} for line in graded])
    crossfit = protocol == "crossfit"
    sides = [
        {
            "query_id": query,
            "group_id": query,
            "split": "crossfit" if crossfit else ("dev", "test")[number % 2],
            "fold": number % 3 if crossfit else None,
        }
        for number, query in enumerate(QUERY_IDS)
    ]
    splits, queries = filled(SPLITS, sides), filled(QUERIES, [{"query_id": q} for q in QUERY_IDS])
    dev = judgments if crossfit else _side(judgments, splits, "dev")
    test = judgments.clear() if crossfit else _side(judgments, splits, "test")
    params, candidates = study(protocol), retrieved(lists)
    swept = sweep.compute(
        splits=splits, dev_judgments=dev, candidates=candidates, queries=queries, params=params
    )
    tried = {"configurations": swept.configurations, "sweep_per_query": swept.per_query}
    frozen = selection.compute(
        **tried,
        grids=swept.grids,
        results=swept.results,
        splits=splits,
        queries=queries,
        times=[],
        ledger=[],
        params=params,
    ).selection
    lines = [opening_line(frozen, opened_at="2026-01-01T00:00:00+00:00")] if opened else []
    result = compute(
        selection=frozen,
        **tried,
        candidates=candidates,
        candidate_queries=CANDIDATE_QUERIES.empty(),
        pool=POOL.empty(),
        splits=splits,
        documents=DOCUMENTS.empty(),
        queries=queries,
        dev_judgments=dev,
        test_judgments=test,
        ledger=parse_ledger(lines),
        params=params,
    )
    return result, frozen


def _side(judgments: pl.DataFrame, splits: pl.DataFrame, side: str) -> pl.DataFrame:
    return judgments.join(splits.filter(pl.col("split") == side), on="query_id", how="semi")


@pytest.mark.parametrize("protocol", ["holdout", "crossfit"])
def test_sweep_and_evaluation_give_the_same_values(protocol: str) -> None:
    result, frozen = evaluated(protocol, opened=False)
    gap = result.summary["sweep"]["largest_gap"]  # type: ignore[index]
    assert gap == pytest.approx(0.0, abs=1e-12)
    assert result.summary["dev"]["selected"] == pytest.approx(  # type: ignore[index]
        frozen["dev"]["value"]
    )


@pytest.mark.parametrize("protocol", ["holdout", "crossfit"])
def test_the_line_that_opens_the_test_opens_it_here(protocol: str) -> None:
    sealed, _ = evaluated(protocol, opened=False)
    opened, _ = evaluated(protocol, opened=True)
    assert (sealed.summary["sealed"], opened.summary["sealed"]) == (True, False)
    counts = {"holdout": 12, "crossfit": 24}
    assert opened.summary["test"]["ranked"] == counts[protocol]  # type: ignore[index]
    assert opened.systems.filter(pl.col("split") == "dev").equals(sealed.systems)


def test_held_out_choices_are_evaluated_as_selection_made_them() -> None:
    result, frozen = evaluated("crossfit", opened=True)
    held_out = result.per_query.filter(
        (pl.col("system") == "best_branch")
        & (pl.col("split") == "test")
        & (pl.col("measure") == "nDCG@5")
    )
    branches = result.per_query.filter((pl.col("split") == "dev") & (pl.col("measure") == "nDCG@5"))
    for number, query in enumerate(QUERY_IDS):
        branch = frozen["best_branch_by_fold"][str(number % 3)]
        wanted = branches.filter((pl.col("system") == branch) & (pl.col("query_id") == query))
        found = held_out.filter(pl.col("query_id") == query)
        assert found["value"].item() == wanted["value"].item()
