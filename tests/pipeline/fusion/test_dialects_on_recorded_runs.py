"""One configuration in several engines, on TREC 2019 Deep Learning, passages: 43 queries."""

import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.fusion import Configuration
from pipeline.fusion.dialects.rescoring import changes, rescored
from pipeline.measures import per_query
from pipeline.params import FusionParams
from pipeline.systems import rank_system


def test_unequal_weights_are_another_ranking_in_qdrant_and_the_same_one_elsewhere(collections):
    """docs/dialects.md tells these figures: they were measured with this code, not elsewhere."""
    folder = collections / "dl19-passage-runs"
    candidates = pl.concat(
        read_run(folder / "runs" / f"{name}.run")
        .filter(pl.col("rank") <= 100)
        .with_columns(branch=pl.lit(name), source_id=pl.col("evidence_id"))
        for name in ("bm25", "tasb")
    )
    qrels, fusion = read_qrels(folder / "qrels.txt"), FusionParams()
    one = Configuration.of(
        "rrf",
        rank_constant=60,
        weights={"bm25": 0.3, "tasb": 0.7},
        depths={"bm25": 100, "tasb": 100},
    )

    def ndcg(lists):
        return per_query(lists, qrels, ["nDCG@10"])["value"].mean()

    ours = rank_system(one, candidates, fusion)
    assert ndcg(ours) == pytest.approx(0.7099, abs=5e-5)
    for engine, value, others in (("elasticsearch", 0.7099, 0), ("qdrant", 0.6785, 40)):
        theirs = rescored(engine, one, candidates, fusion)
        assert ndcg(theirs) == pytest.approx(value, abs=5e-5)
        assert changes(ours, theirs, depth=10).sets == others
