"""Ratings as `_rank_eval` takes them and Quepid exports them."""

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.collection import read_qrels
from pipeline.collection.files import read_judgments
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Rated
from pipeline.errors import CollectionError, InputError

QUERIES: dict[str, str | None] = {"q1": "stuck valve", "q2": "gear oil"}


def read(path: Path, queries: dict[str, str | None] | None = None) -> Rated:
    problems = Problems(path)
    judged = read_judgments(path, problems, queries=queries)
    problems.raise_if_any()
    return judged


def written(tmp_path: Path, content: Any, name: str = "ratings.json") -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


RANK_EVAL = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"text": "stuck valve"}}},
            "ratings": [
                {"_index": "docs", "_id": "007", "rating": 3},
                {"_index": "docs", "_id": "7", "rating": 0},
            ],
        },
        {"id": "q2", "template_id": "t", "params": {"query": "gear oil"}, "ratings": []},
    ],
    "metric": {"dcg": {"k": 20, "normalize": True}},
}


def test_requests_of_rank_eval(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, RANK_EVAL)).rows() == [("q1", "007", 3), ("q1", "7", 0)]


def test_one_id_in_two_indices_is_no_single_document(tmp_path: Path) -> None:
    ratings = [{"_index": index, "_id": "a", "rating": 1} for index in ("old", "new")]
    path = written(tmp_path, {"requests": [{"id": "q1", "ratings": ratings}]})
    with pytest.raises(CollectionError, match=r"requests 1: one _id in two indices.*old and new"):
        read(path)


@pytest.mark.parametrize(
    "ratings",
    [
        [{"_id": 7, "rating": 1}],
        [{"_id": "a", "rating": "1"}],
        [{"_id": "a", "rating": 1.5}],
        [{"_id": "a"}],
        {"a": 1},
        ["a"],
    ],
)
def test_ratings_of_another_kind_are_named_by_their_request(tmp_path: Path, ratings: Any) -> None:
    with pytest.raises(CollectionError, match="requests 1"):
        read(written(tmp_path, {"requests": [{"id": "q1", "ratings": ratings}]}))


@pytest.mark.parametrize(
    "query",
    [
        {"query": "stuck valve", "ratings": {"a": 3, "b": 0.0, "c": None}},
        {"query_text": "stuck valve", "notes": "n", "ratings": {"a": 3, "b": 0, "c": None}},
    ],
)
def test_a_case_of_quepid(tmp_path: Path, query: dict[str, Any]) -> None:
    content = {"case_name": "c", "queries": [query, {"query": "gear oil", "ratings": {}}]}
    judged = read(written(tmp_path, content), QUERIES)
    assert [(r["query_id"], r["evidence_id"], r["grade"]) for r in judged.rows] == [
        ("q1", "a", 3),
        ("q1", "b", 0),
    ]
    assert judged.dropped == {"entries without a grade": 1, "queries without a rating": 1}


def test_quepid_for_rre_groups_documents_by_grade(tmp_path: Path) -> None:
    query = {"placeholders": {"$query": "gear oil"}, "relevant_documents": {"1": ["a"], "3": ["b"]}}
    judged = read(written(tmp_path, {"id_field": "id", "queries": [query]}), QUERIES)
    assert [(r["evidence_id"], r["grade"]) for r in judged.rows] == [("a", 1), ("b", 3)]
    query["relevant_documents"] = {"a": {"gain": 2}}
    judged = read(written(tmp_path, {"queries": [query]}), QUERIES)
    assert [(r["evidence_id"], r["grade"]) for r in judged.rows] == [("a", 2)]


def test_a_book_of_quepid_keeps_its_judges(tmp_path: Path) -> None:
    judgements = [
        {"rating": 2.0, "unrateable": False, "user_email": "ann@x", "explanation": "why"},
        {"rating": None, "unrateable": True, "user_email": "bob@x"},
        {"rating": None, "judge_later": True, "user_email": "eve@x"},
    ]
    pair = {"query_text": "stuck valve", "doc_id": "a", "position": 1, "judgements": judgements}
    judged = read(written(tmp_path, {"name": "b", "query_doc_pairs": [pair]}), QUERIES)
    said = [(row["assessor"], row.get("grade"), row["status"]) for row in judged.rows]
    assert said == [("ann@x", 2, "judged"), ("bob@x", None, "unknown")]
    assert judged.rows[0]["note"] == "why"
    assert judged.dropped == {"entries without a grade": 1}


def test_csv_of_quepid_with_a_query_that_nobody_rated(tmp_path: Path) -> None:
    path = written(tmp_path, "query,docid,rating\nstuck valve,a,3\ngear oil\n", "case.csv")
    judged = read(path, QUERIES)
    assert [(row["query_id"], row["grade"]) for row in judged.rows] == [("q1", 3)]
    assert judged.dropped == {"rows without a grade": 1}


@pytest.mark.parametrize(
    "text",
    [
        "3 qid:17 # a stuck valve\n0 qid:17 # b stuck valve\n",
        '3    qid:17 #    a; "stuck valve"\n\n0    qid:17 #    b; "stuck valve"\n',
        "3 qid:17 1:0.5 2:7 # a stuck valve\n0 qid:17 # b stuck valve\n",
    ],
)
def test_lines_of_learning_to_rank(tmp_path: Path, text: str) -> None:
    judged = read(written(tmp_path, text, "ltr.txt"))
    assert [(r["query_id"], r["evidence_id"], r["grade"]) for r in judged.rows] == [
        ("17", "a", 3),
        ("17", "b", 0),
    ]
    assert judged.texts == {"17": "stuck valve"}


def test_a_broken_line_of_learning_to_rank_is_named(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=r"ltr\.txt:2: not a rating"):
        read(written(tmp_path, "3 qid:17 # a\n3 qid:18 a\n", "ltr.txt"))


def test_trec_lines_of_quepid_are_qrels(tmp_path: Path) -> None:
    assert read_qrels(written(tmp_path, "\n17 0 a 3\n\n17 0 b 0\n", "case.txt")).height == 2


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"queries": [], "requests": []}', '{"queries": {}}', "[" * 100_000, "NaN"],
)
def test_other_json_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InputError, match=r"ratings\.json"):
        read(written(tmp_path, content))
