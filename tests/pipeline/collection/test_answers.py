"""Answers of Elasticsearch and OpenSearch, one for each query: hits, time, what failed."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.collection import import_collection, read_collection, read_run
from pipeline.collection.problems import Problems
from pipeline.collection.runs import read_recorded
from pipeline.errors import CollectionError, MissingError
from pipeline.recorded import RecordedRun


def answer(*hits: tuple[str, float | None], **fields: Any) -> dict[str, Any]:
    """An answer as `_search` gives it."""
    listed = [
        {"_index": "docs", "_id": doc, "_score": score, "_source": {"text": "secret"}}
        for doc, score in hits
    ]
    return {
        "took": 12,
        "timed_out": False,
        "_shards": {"total": 5, "successful": 5, "skipped": 0, "failed": 0},
        "hits": {"total": {"value": len(hits), "relation": "eq"}, "hits": listed},
    } | fields


FAILED = {"total": 5, "successful": 4, "skipped": 0, "failed": 1, "failures": [{"shard": 1}]}


def folder(tmp_path: Path, **answers: Any) -> Path:
    path = tmp_path / "bm25"
    path.mkdir()
    for query, content in answers.items():
        (path / f"{query}.json").write_text(json.dumps(content))
    return path


def recorded(path: Path) -> RecordedRun:
    problems = Problems(path)
    runs = read_recorded(path, problems)
    problems.raise_if_any()
    assert list(runs) == ["bm25"]
    return runs["bm25"]


def test_hits_are_results_and_took_is_the_time(tmp_path: Path) -> None:
    run = recorded(folder(tmp_path, q1=answer(("a", 3.0), ("b", 1.5)), q2=answer()))
    assert run.results.select("query_id", "position", "doc_id", "score").rows() == [
        ("q1", 1, "a", 3.0),
        ("q1", 2, "b", 1.5),
    ]
    assert run.queries.select("query_id", "status", "took_ms").rows() == [
        ("q1", "ok", 12.0),
        ("q2", "ok", 12.0),
    ]


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (answer(("a", 1.0)), "ok"),
        (answer(("a", 1.0), timed_out=True), "partial"),
        (answer(timed_out=True), "timeout"),
        (answer(("a", 1.0), _shards=FAILED), "partial"),
        (answer(_shards=FAILED), "partial"),
        (answer(("a", 1.0), terminated_early=True), "partial"),
        (answer(("a", 1.0), terminated_early=False), "ok"),
        (answer(("a", 1.0), _clusters={"total": 2, "successful": 1, "partial": 1}), "partial"),
        ({"error": {"type": "search_phase_execution_exception"}, "status": 503}, "error"),
        ({"id": "x", "is_partial": True, "response": answer(("a", 1.0))}, "partial"),
        ({"id": "x", "is_partial": False, "response": answer(("a", 1.0))}, "ok"),
    ],
)
def test_what_failed_is_told(tmp_path: Path, content: dict[str, Any], status: str) -> None:
    assert recorded(folder(tmp_path, q1=content)).queries["status"].to_list() == [status]


def test_a_sorted_search_has_no_scores_and_keeps_its_order(tmp_path: Path) -> None:
    path = folder(tmp_path, q1=answer(("b", None), ("a", None)))
    assert read_run(path, order="file")["doc_id"].to_list() == ["b", "a"]


def test_gzipped_answers_and_files_that_lie_aside(tmp_path: Path) -> None:
    path = folder(tmp_path, q1=answer(("a", 1.0)))
    (path / "q2.json.gz").write_bytes(gzip.compress(json.dumps(answer(("b", 1.0))).encode()))
    (path / "README.md").write_text("how these were made")
    (path / ".json").write_text("hidden")
    assert recorded(path).queries["query_id"].to_list() == ["q1", "q2"]


def test_lines_of_answers_name_queries_of_any_id(tmp_path: Path) -> None:
    path = tmp_path / "bm25.jsonl"
    lines = [{"query_id": "a/b c", "response": answer(("a", 1.0), timed_out=True)}]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert recorded(path).queries.select("query_id", "status").rows() == [("a/b c", "partial")]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "no answer of _search"),
        ({}, "expected hits.hits, or error"),
        ({"responses": []}, "found responses"),
        (answer(hits={"total": 1}), "'hits' is missing"),
        (answer(hits={"hits": [{"_score": 1.0}]}), "'_id' is missing"),
        (answer(hits={"hits": [{"_id": 7}]}), "'_id' is wrong"),
        (answer(hits={"hits": [{"_id": "a", "_score": "1"}]}), "'_score' is wrong"),
        (answer(took=-1), "'took' is wrong"),
        (answer(timed_out="no"), "'timed_out' is wrong"),
        (answer(_shards={"failed": "1"}), r"q1\.json: field 'failed' is wrong"),
        (
            answer(hits={"hits": [], "total": {"value": 5, "relation": "eq"}}),
            "0 of 5; expected size",
        ),
        (answer(hits={"hits": [], "total": 5}), "answers of size 0 are for aggregations"),
        (answer(hits={"hits": [], "total": "many"}), "'total' is wrong"),
    ],
)
def test_what_is_no_answer_is_named_with_its_file(
    tmp_path: Path, content: object, said: str
) -> None:
    with pytest.raises(CollectionError, match=said):
        recorded(folder(tmp_path, q1=content))


def test_a_broken_file_is_named_and_the_others_are_read_too(tmp_path: Path) -> None:
    path = folder(tmp_path, q1=answer(), q2=[])
    (path / "q3.json").write_text('{"took": 1,')
    with pytest.raises(CollectionError, match=r"(?s)q2\.json: no answer.*q3\.json: not JSON"):
        recorded(path)


def test_an_empty_folder_and_a_single_answer_are_no_run(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no answers"):
        recorded(folder(tmp_path))
    alone = tmp_path / "q1.json"
    alone.write_text(json.dumps(answer()))
    with pytest.raises(CollectionError, match="one JSON file is no run"):
        read_run(alone)


def test_an_import_leaves_the_sources_behind(tmp_path: Path) -> None:
    runs = folder(tmp_path, q1=answer(("a", 3.0), timed_out=True), q2=answer(("b", 1.0)))
    lines = tmp_path / "dense.jsonl"
    lines.write_text(json.dumps({"query_id": "q1", "response": answer(("b", 1.0))}) + "\n")
    qrels = tmp_path / "qrels.txt"
    qrels.write_text("q1 0 a 1\n")
    report = import_collection(
        format="trec", target=tmp_path / "out", name="es", judgments=qrels, runs=[runs, lines]
    )
    assert sum(report.dropped.values()) == 3
    assert b"secret" not in b"".join(p.read_bytes() for p in report.path.rglob("*.jsonl"))
    collection = read_collection(report.path)
    assert collection.runs["bm25"].queries["status"].to_list() == ["partial", "ok"]
    assert collection.runs["bm25"].queries["took_ms"].to_list() == [12.0, 12.0]
    assert collection.runs["dense"].results["doc_id"].to_list() == ["b"]
