"""Bounds on recorded runs of TREC 2019 Deep Learning, against figures known beforehand."""

from pathlib import Path

import polars as pl
import pytest
from five_queries_study import OPENED, as_selection, filled

from pipeline.collection import read_qrels, read_run
from pipeline.evaluation import Evaluation, compute
from pipeline.fusion import Configuration
from pipeline.params import to_params
from pipeline.tables import (
    CANDIDATE_QUERIES,
    CANDIDATES,
    CONFIGURATIONS,
    DEV_JUDGMENTS,
    DOCUMENTS,
    POOL,
    QUERIES,
    SPLITS,
    SWEEP_PER_QUERY,
    TEST_JUDGMENTS,
)

DEPTH = 100
FILES = {"bm25": "bm25.run", "tasb": "tasb.run", "repllama": "repllama.run.gz"}


def evaluated(collections: Path, dense: str, regime: str = "pooled") -> Evaluation:
    """RRF (k = 60, equal weights) of BM25 and a dense run on all judged queries, opened."""
    folder = collections / "dl19-passage-runs"
    names = ("bm25", dense)
    lists = [
        read_run(folder / "runs" / FILES[name])
        .filter(pl.col("rank") <= DEPTH)
        .with_columns(pl.lit(name).alias("branch"), pl.col("evidence_id").alias("source_id"))
        for name in names
    ]
    judgments = read_qrels(folder / "qrels.txt").with_columns(pl.lit("judged").alias("status"))
    queries = judgments["query_id"].unique().sort().to_list()
    rrf = Configuration.of(
        "rrf",
        rank_constant=60,
        weights=dict.fromkeys(names, 1),
        depths=dict.fromkeys(names, DEPTH),
    )
    selection = {
        "configuration": as_selection(rrf),
        "best_convex": None,
        "best_branch": None,
        "folds": None,
        "hashes": {"test_set": OPENED.test_set, "selection": OPENED.selection},
    }
    params = to_params(
        {
            "study": "dl19",
            "collection": {"path": "dl19", "scale": [0, 3], "regime": regime},
            "candidates": {
                name: {"kind": "recorded", "run": name, "depth": DEPTH} for name in names
            },
            "selection": {"measure": "nDCG@10"},
            "evaluation": {"measures": ["nDCG@10"], "resamples": 1000},
        }
    )
    sides = [{"query_id": query, "group_id": query, "split": "test"} for query in queries]
    return compute(
        selection=selection,
        configurations=CONFIGURATIONS.empty(),
        sweep_per_query=SWEEP_PER_QUERY.empty(),
        candidates=pl.concat([one.select(list(CANDIDATES.columns)) for one in lists]),
        candidate_queries=CANDIDATE_QUERIES.empty(),
        pool=POOL.empty(),
        splits=filled(SPLITS, sides),
        documents=DOCUMENTS.empty(),
        queries=filled(QUERIES, [{"query_id": query} for query in queries]),
        dev_judgments=DEV_JUDGMENTS.empty(),
        test_judgments=TEST_JUDGMENTS.check(judgments),
        ledger=[OPENED],
        params=params,
    )


def view(result: Evaluation, baseline: str, name: str) -> dict[str, float]:
    """One row of the bounds."""
    wanted = (pl.col("baseline") == baseline) & (pl.col("view") == name)
    return result.bounds.row(by_predicate=wanted, named=True)


def test_fusion_loses_to_tasb_and_unjudged_evidence_could_undo_it(collections: Path) -> None:
    result = evaluated(collections, "tasb")
    plain, best = view(result, "tasb", "non_relevant"), view(result, "tasb", "best")
    assert plain["delta"] == pytest.approx(-0.0285, abs=5e-5)
    # The t-bounds are -.0639 and +.0069; the gate takes the wider of t and bootstrap-t.
    assert plain["low"] <= -0.0639
    assert plain["high"] >= 0.0068
    assert best["high"] == pytest.approx(0.019, abs=2e-3)
    assert best["exact"]


def test_fusion_loses_to_repllama_whatever_is_unjudged(collections: Path) -> None:
    result = evaluated(collections, "repllama")
    plain, best = view(result, "repllama", "non_relevant"), view(result, "repllama", "best")
    assert plain["delta"] == pytest.approx(-0.0444, abs=5e-5)
    assert best["high"] < 0.01


def test_the_views_stand_in_order(collections: Path) -> None:
    result = evaluated(collections, "tasb")
    for baseline in ("bm25", "tasb"):
        worst, plain, best = (
            view(result, baseline, name) for name in ("worst", "non_relevant", "best")
        )
        assert worst["delta"] <= plain["delta"] <= best["delta"]


def test_the_plain_view_is_the_comparison(collections: Path) -> None:
    result = evaluated(collections, "tasb")
    wanted = (pl.col("baseline") == "tasb") & (pl.col("slice") == "")
    comparison = result.comparisons.row(by_predicate=wanted, named=True)
    plain = view(result, "tasb", "non_relevant")
    assert [plain[name] for name in ("delta", "low", "high")] == [
        comparison[name] for name in ("delta", "low", "high")
    ]
