"""Real runs, query by query, against what trec_eval printed and the organisers published."""

import csv
from pathlib import Path

import polars as pl
import pytest
from test_measures_like_trec_eval import disagreements, expected

from pipeline.collection import read_qrels, read_run
from pipeline.measures import per_query

DL19_RUNS = ["bm25", "bm25-rm3", "splade-pp-ed", "tasb", "openai-ada2", "repllama"]
COVID_RUNS = [
    "smith.bm25",
    "sab20.1.meta.docs",
    "UP-cqqrnd1",
    "UP-sdqrnd1",
    "UP-rrf5rnd1",
    "CSIROmedNIR",
    "RUIR-doc2vec",
    "BM25R2",
    "T5R3",
]


def recorded(folder: Path, name: str) -> pl.DataFrame:
    return read_run(next((folder / "runs").glob(f"{name}.run*")))


@pytest.mark.parametrize("name", DL19_RUNS)
def test_dl19_passages_topic_by_topic(collections: Path, name: str) -> None:
    folder = collections / "dl19-passage-runs"
    run, judgments = recorded(folder, name), read_qrels(folder / "qrels.txt")
    printed = list(expected(folder / "expected" / f"{name}.trec_eval.txt"))
    # nDCG uses all grades; the others were printed with -l 2, this track's threshold.
    graded = [line for line in printed if line[0].startswith("nDCG")]
    binary = [line for line in printed if not line[0].startswith("nDCG")]
    assert len({topic for _, topic, _ in printed}) == 44
    assert disagreements(run, judgments, graded, rel=1) == []
    assert disagreements(run, judgments, binary, rel=2) == []


@pytest.mark.parametrize("name", COVID_RUNS)
def test_trec_covid_topic_by_topic_and_on_the_leaderboard(collections: Path, name: str) -> None:
    folder = collections / "trec-covid-r1-runs"
    run = recorded(folder, name).filter(pl.col("rank") <= 1000)
    judgments = read_qrels(folder / "qrels.txt")
    lines = _lines(folder / "expected" / f"{name}.trec_eval-c-q-M1000.txt")
    assert len(lines) > 500
    assert disagreements(run, judgments, lines, rel=1) == []
    means = _means(per_query(run, judgments, [*LEADERBOARD.values(), *RBP]))
    row = _leaderboard(folder)[name]
    assert {key: f"{means[ours]:.4f}" for key, ours in LEADERBOARD.items()} == {
        key: row[key] for key in LEADERBOARD
    }
    # The organisers' RBP takes grade/2 as the gain: the mean of both thresholds' RBP.
    graded = sum(means[measure] for measure in RBP) / 2
    assert graded == pytest.approx(float(row["RBP(p=.5)"]), abs=2e-4)


LEADERBOARD = {"ndcg@10": "nDCG@10", "p@5": "P@5", "bpref": "Bpref", "MAP": "AP"}
RBP = ["RBP(p=0.5, rel=1)", "RBP(p=0.5, rel=2)"]


def _lines(path: Path) -> list[tuple[str, str, float]]:
    return list(expected(path))


def _means(values: pl.DataFrame) -> dict[str, float]:
    return dict(values.group_by("measure").agg(pl.col("value").mean()).iter_rows())


def _leaderboard(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "expected" / "leaderboard.csv").open() as file:
        return {row["run"]: row for row in csv.DictReader(file)}


def test_ties_by_the_rank_column_are_another_order_than_trec_evals(collections: Path) -> None:
    # 93 % of this run's neighbouring scores tie: its own order is worth .7439, trec_eval's .7384.
    folder = collections / "dl19-passage-runs"
    path, judgments = folder / "runs" / "repllama.run.gz", read_qrels(folder / "qrels.txt")
    by_score, by_rank = (
        _means(per_query(read_run(path, order=order), judgments, ["nDCG@10"]))["nDCG@10"]
        for order in ("score", "rank")
    )
    assert (f"{by_score:.4f}", f"{by_rank:.4f}") == ("0.7384", "0.7439")
