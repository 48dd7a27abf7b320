"""BM25 on SciFact against Pyserini's published figure (flat index, k1 0.9, b 0.4): 0.6789."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from pipeline.candidates import compute
from pipeline.measures import per_query
from tests.rows import documents, params, queries


@pytest.mark.slow
def test_ndcg_is_the_published_one(collections: Path) -> None:
    folder = collections / "scifact"
    with gzip.open(folder / "corpus.jsonl.gz", "rt", encoding="utf-8") as corpus:
        docs = [json.loads(line) for line in corpus]
    with (folder / "queries.jsonl").open(encoding="utf-8") as lines:
        texts = {query["_id"]: query["text"] for query in map(json.loads, lines)}
    schema = {"query_id": pl.String, "evidence_id": pl.String, "grade": pl.Int64}
    qrels = pl.read_csv(
        folder / "qrels" / "test.tsv", separator="\t", has_header=False, skip_rows=1, schema=schema
    )
    tested = qrels["query_id"].unique()
    result = compute(
        documents=documents(
            {d["_id"]: d["text"] for d in docs}, title={d["_id"]: d["title"] for d in docs}
        ),
        queries=queries({query_id: texts[query_id] for query_id in tested}),
        branch="bm25",
        params=params({"bm25": {"kind": "bm25"}}),
    )
    values = per_query(result.candidates, qrels, ["nDCG@10"])
    assert values.height == 300
    assert values["value"].mean() == pytest.approx(0.6789, abs=0.01)
