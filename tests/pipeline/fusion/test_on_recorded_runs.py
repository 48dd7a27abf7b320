"""Fusion of real recorded runs: TREC 2019 Deep Learning, passages, 43 judged queries."""

import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.fusion import Contract, fuse
from pipeline.measures import per_query


# The differences were measured beforehand, with other tools.
@pytest.mark.parametrize(
    ("other", "difference"), [("tasb.run", -0.0285), ("repllama.run.gz", -0.0444)]
)
def test_equal_weights_lose_to_the_better_branch(collections, other, difference):
    folder = collections / "dl19-passage-runs"
    branches = {"bm25": "bm25.run", "other": other}
    candidates = pl.concat(
        read_run(folder / "runs" / name).with_columns(
            branch=pl.lit(branch), source_id=pl.col("evidence_id")
        )
        for branch, name in branches.items()
    )
    qrels = read_qrels(folder / "qrels.txt")

    def ndcg(method, *names):
        contract = Contract.of(
            method, weights=dict.fromkeys(names, 1), depths=dict.fromkeys(names, 100)
        )
        return per_query(fuse(candidates, contract), qrels, ["nDCG@10"])["value"].mean()

    found = ndcg("rrf", *branches) - ndcg("branch", "other")
    assert found == pytest.approx(difference, abs=5e-5)
