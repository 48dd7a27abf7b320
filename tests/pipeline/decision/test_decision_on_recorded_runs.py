"""The word on real recorded runs: fusion loses on DL 2019 and wins on TREC-COVID round 1.

Lists cut to 100, RRF with k = 60 and equal weights, nDCG@10, every query on the test side and a
group of its own. Expected differences were computed from trec_eval's values beforehand.
"""

from pathlib import Path

import pytest

from pipeline.collection.files import collection_from_files
from pipeline.study import run_study
from tests.rows import params


def decided(folder: Path, runs, *, regime, margin, scale, queries=None):
    found = {name: next((folder / "runs").glob(f"{name}.run*")) for name in runs}
    of = params(
        {name: {"kind": "recorded", "run": name} for name in runs},
        collection={"path": ".", "regime": regime, "scale": scale},
        splits={"shares": {"test": 1.0}, "independent": True},
        selection={
            "mode": "declared",
            "measure": "nDCG@10",
            "configuration": {"method": "rrf", "rank_constant": 60},
        },
        evaluation={"measures": ["nDCG@10"]},
        decision={"primary": {"margin": margin}},
    )
    collection = collection_from_files(
        runs=found, judgments=folder / "qrels.txt", queries=queries, params=of.collection
    )
    return run_study(collection, of).decision.decision


def against(decision, baseline):
    (part,) = [one for one in decision["gates"][0]["evidence"] if one["baseline"] == baseline]
    return part


@pytest.mark.parametrize(
    ("branch", "regime", "delta", "word", "status"),
    [
        ("tasb", "exhaustive", -0.0285, "hold", "fail"),
        ("tasb", "pooled", -0.0285, "inconclusive", "unresolved"),
        ("repllama", "exhaustive", -0.0444, "hold", "fail"),
        ("repllama", "pooled", -0.0444, "hold", "fail"),
    ],
)
def test_fusion_with_bm25_does_not_improve_a_far_better_branch(
    collections, branch, regime, delta, word, status
):
    folder = collections / "dl19-passage-runs"
    decision = decided(
        folder,
        ("bm25", branch),
        regime=regime,
        margin=0.01,
        scale=(0, 3),
        queries=folder / "queries.tsv",
    )
    assert decision["word"] == word
    assert decision["gates"][0]["status"] == status
    part = against(decision, branch)
    assert part["delta"] == pytest.approx(delta, abs=5e-5)
    assert against(decision, "bm25")["status"] == "pass"
    assert decision["next"]


def test_fusion_of_two_runs_that_help_each_other_ships(collections):
    decision = decided(
        collections / "trec-covid-r1-runs",
        ("smith.bm25", "BM25R2"),
        regime="exhaustive",
        margin=0.0,
        scale=(0, 2),
    )
    assert decision["word"] == "ship"
    assert against(decision, "smith.bm25")["delta"] == pytest.approx(0.1069, abs=5e-5)
    assert against(decision, "BM25R2")["delta"] == pytest.approx(0.2008, abs=5e-5)
    assert decision["next"] == []
