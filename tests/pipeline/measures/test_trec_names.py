"""What trec_eval calls a measure, and the lines it prints."""

import gzip
from pathlib import Path

import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.measures import per_query
from pipeline.measures.trec_names import trec_lines, trec_name

VALUES = {"query_id": pl.String(), "measure": pl.String(), "value": pl.Float64()}


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("nDCG@10", "ndcg_cut_10"),
        ("nDCG", "ndcg"),
        ("AP", "map"),
        ("AP@100", "map_cut_100"),
        ("RR", "recip_rank"),
        ("P@5", "P_5"),
        ("R@1000", "recall_1000"),
        ("Success@1", "success_1"),
        ("Bpref", "bpref"),
    ],
)
def test_a_measure_that_trec_eval_has_takes_its_name(name: str, known: str) -> None:
    assert trec_name(name) == known


@pytest.mark.parametrize(
    "name", ["RR@10", "Judged@5", "R(rel=2)@100", "nDCG(dcg='exp-log2')@10", "RBP"]
)
def test_a_measure_that_it_has_not_keeps_its_own(name: str) -> None:
    assert trec_name(name) == name


def test_queries_come_first_and_undefined_values_have_no_line() -> None:
    rows = [("2", "RR", 0.5), ("10", "RR", 1.0), ("10", "P@1", 1.0), ("2", "P@1", None)]
    lines = trec_lines(pl.DataFrame(rows, schema=VALUES, orient="row"), ["RR", "P@1"], "bm25")
    assert list(lines) == [
        "recip_rank            \t10\t1.0000",
        "P_1                   \t10\t1.0000",
        "recip_rank            \t2\t0.5000",
        "runid                 \tall\tbm25",
        "num_q                 \tall\t2",
        "recip_rank            \tall\t0.7500",
        "P_1                   \tall\t1.0000",
    ]


def test_the_lines_are_those_of_trec_eval(collections: Path) -> None:
    # expected/: what trec_eval 10.0-rc3 printed for the same files with -c -q -M1000.
    place = collections / "trec-covid-r1-runs"
    qrels = read_qrels(place / "qrels.txt")
    names = ["AP", "RR", "P@5", "P@10", "R@100", "nDCG@10", "Bpref"]
    for name in ("sab20.1.meta.docs", "BM25R2", "T5R3"):
        run = read_run(place / f"runs/{name}.run.gz").filter(pl.col("rank") <= 1000)
        ours = set(trec_lines(per_query(run, qrels, names), names, name))
        expected = (place / f"expected/{name}.trec_eval-c-q-M1000.txt").read_text().splitlines()
        wanted = {trec_name(measure) for measure in names}
        theirs = {line for line in expected if line.split()[0] in wanted}
        assert len(theirs) == len(wanted) * 31
        assert theirs <= ours


def test_a_gzipped_run_has_the_same_lines(tmp_path: Path) -> None:
    text = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\n"
    (tmp_path / "a.run").write_text(text)
    (tmp_path / "b.run.gz").write_bytes(gzip.compress(text.encode()))
    qrels = pl.DataFrame({"query_id": ["q1"], "evidence_id": ["b"], "grade": [1]})
    lines = [
        list(trec_lines(per_query(read_run(tmp_path / name), qrels, ["RR"]), ["RR"], "r"))
        for name in ("a.run", "b.run.gz")
    ]
    assert lines[0] == lines[1]
