"""A collection of single files."""

from pathlib import Path

import pytest

from pipeline.collection import collection_from_files
from pipeline.errors import CollectionError, ParameterError
from pipeline.params import CollectionParams


def file(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ids_alone_make_a_collection(tmp_path: Path) -> None:
    collection = collection_from_files(
        runs={"bm25": file(tmp_path, "a.run", "q1 Q0 d1 1 2 t\nq9 Q0 d2 1 1 t\n")},
        judgments=file(tmp_path, "qrels.txt", "q1 0 d1 1\nq1 0 d3 0\nq2 0 d1 1\n"),
    )
    assert collection.documents["doc_id"].to_list() == ["d1", "d2", "d3"]
    assert collection.queries["query_id"].to_list() == ["q1", "q2"]
    assert collection.notes == {
        "derived_documents": 3,
        "derived_queries": 2,
        "run_queries_unknown": 1,
    }


def test_without_judgments_the_queries_are_those_the_runs_answer(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", "q1 Q0 d1 1 2 t\nq9 Q0 d2 1 1 t\n")
    collection = collection_from_files(runs={"bm25": run})
    assert collection.queries["query_id"].to_list() == ["q1", "q9"]
    assert collection.judgments.height == 0


def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(ParameterError, match="neither runs nor documents"):
        collection_from_files(runs={})


def test_foreign_grades_need_a_map(tmp_path: Path) -> None:
    run = file(tmp_path, "a.run", "q1 Q0 d1 1 2 t\n")
    qrels = file(tmp_path, "qrels.txt", "q1 0 d1 -1\n")
    with pytest.raises(CollectionError, match=r"qrels\.txt:1: a grade off the declared scale"):
        collection_from_files(runs={"a": run}, judgments=qrels, params=CollectionParams(path="."))
    mapped = collection_from_files(
        runs={"a": run}, judgments=qrels, params=CollectionParams(path=".", grades={-1: 0})
    )
    assert mapped.judgments["grade"].item() == 0


def test_runs_and_judgments_without_overlap_are_refused_where_documents_are_given(
    tmp_path: Path,
) -> None:
    with pytest.raises(CollectionError, match="0 of 1 join"):
        collection_from_files(
            runs={},
            documents=file(tmp_path, "corpus.jsonl", '{"_id": "a-001", "text": "x"}\n'),
            queries=file(tmp_path, "queries.tsv", "q1\twhich\n"),
            judgments=file(tmp_path, "qrels.txt", "q1 0 S1-A1 1\n"),
        )


def test_queries_of_all_kinds_of_names_are_texts_and_come_by_code_point(tmp_path: Path) -> None:
    collection = collection_from_files(
        runs={"a": file(tmp_path, "a.run", "q7 Q0 d 1 1 t\n012 Q0 d 1 1 t\n-31 Q0 d 1 1 t\n")},
        queries=file(tmp_path, "topics.tsv", "q7\tleak\n12\tsmell\n-31\tnoise\n012\tsound\n"),
        judgments=file(tmp_path, "qrels.txt", "12 0 d 1\n-31 0 d 1\n"),
    )
    assert collection.queries["query_id"].to_list() == ["-31", "012", "12", "q7"]
    assert collection.judgments["query_id"].to_list() == ["-31", "12"]
    assert collection.runs["a"].queries["query_id"].sort().to_list() == ["-31", "012", "q7"]


def test_recorded_runs_of_dl19(collections: Path) -> None:
    folder = collections / "dl19-passage-runs"
    collection = collection_from_files(
        runs={name: folder / f"runs/{name}.run" for name in ("bm25", "tasb")},
        judgments=folder / "qrels.txt",
        queries=folder / "queries.tsv",
        params=CollectionParams(path=".", rel=2),
    )
    assert collection.queries.height == 43
    assert collection.judgments.height == 9260
    assert collection.runs["bm25"].results.height == 4300
