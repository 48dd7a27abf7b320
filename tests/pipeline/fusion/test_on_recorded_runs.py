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


def test_a_constant_rank_column_does_not_put_all_documents_into_one_place(tmp_path):
    path = tmp_path / "dense.run"
    path.write_text("q1 Q0 d2 0 1.0 t\nq1 Q0 d3 0 9.5 t\nq1 Q0 d1 0 7.0 t\n")
    run = read_run(path).with_columns(branch=pl.lit("dense"), source_id=pl.col("evidence_id"))
    fused = fuse(run, Contract.of("rrf", weights={"dense": 1}, depths={"dense": 100}))
    assert fused["doc_id"].to_list() == ["d3", "d1", "d2"]
    assert fused["score"].to_list() == pytest.approx([0.016393, 0.016129, 0.015873], abs=5e-7)
