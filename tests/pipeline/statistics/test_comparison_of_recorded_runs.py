"""Fusion against its branches on real runs: bounds that were worked out beforehand.

Reciprocal rank fusion, k = 60, equal weights, every list cut to 100, order by score with ties by
id descending, nDCG@10, one query per group. The expected figures were computed apart from this
code, from the same files, with scipy's t distribution: the difference and its one-sided 5 %
bounds.
"""

from pathlib import Path

import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.fusion import reciprocal_rank_fusion
from pipeline.measures import per_query
from pipeline.statistics import Comparison, paired_comparison

DEPTH = 100


def recorded(folder: Path, name: str) -> pl.DataFrame:
    run = read_run(next((folder / "runs").glob(f"{name}.run*")))
    return run.filter(pl.col("rank") <= DEPTH).select("query_id", "rank", "evidence_id")


def fused(*runs: pl.DataFrame) -> pl.DataFrame:
    lists = [
        dict(run.group_by("query_id", maintain_order=True).agg("evidence_id").iter_rows())
        for run in runs
    ]
    rows = [
        (query, item.rank, item.id)
        for query in sorted({query for one in lists for query in one})
        for item in reciprocal_rank_fusion([one.get(query, []) for one in lists])
    ]
    return pl.DataFrame(rows, schema=runs[0].schema, orient="row")


def gain(folder: Path, branches: tuple[str, str], baseline: str) -> Comparison:
    runs = {name: recorded(folder, name) for name in branches}
    systems = {"rrf": fused(*runs.values()), baseline: runs[baseline]}
    judgments = read_qrels(folder / "qrels.txt")
    values = pl.concat(
        per_query(run, judgments, ["nDCG@10"]).with_columns(system=pl.lit(name))
        for name, run in systems.items()
    )
    alone = {query: query for query in values["query_id"]}
    return paired_comparison(values, system="rrf", baseline=baseline, groups=alone, seed=7)


@pytest.mark.parametrize(
    ("collection", "branches", "baseline", "delta", "low", "high"),
    [
        ("dl19-passage-runs", ("bm25", "tasb"), "tasb", -0.0285, -0.0639, +0.0069),
        ("dl19-passage-runs", ("bm25", "repllama"), "repllama", -0.0444, -0.0753, -0.0135),
        ("trec-covid-r1-runs", ("smith.bm25", "BM25R2"), "smith.bm25", 0.1069, 0.0343, 0.1796),
        ("trec-covid-r1-runs", ("smith.bm25", "BM25R2"), "BM25R2", 0.2008, 0.1332, 0.2683),
    ],
)
def test_difference_and_t_bounds_to_four_digits(
    collections: Path,
    collection: str,
    branches: tuple[str, str],
    baseline: str,
    delta: float,
    low: float,
    high: float,
) -> None:
    result = gain(collections / collection, branches, baseline)
    found = (result.delta, result.t_low, result.t_high)
    assert found == pytest.approx((delta, low, high), abs=0.5e-4)
    # The gate takes the wider of t and bootstrap-t below 60 groups.
    assert result.groups < 60
    assert result.low is not None
    assert result.high is not None
    assert result.low <= low + 0.5e-4
    assert result.high >= high - 0.5e-4
    assert result.high - result.low < 1.3 * (high - low)
