"""The native form: strict, every problem at once, nothing converted in silence."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from pipeline.collection import Collection, read_collection
from pipeline.errors import CollectionError, MissingError
from pipeline.params import CollectionParams

Lines = list[dict[str, Any]] | str
SMALL: dict[str, Lines] = {
    "documents.jsonl": [{"doc_id": "d1", "text": "one"}, {"doc_id": "d2", "text": "two"}],
    "queries.jsonl": [{"query_id": "q1", "text": "which"}],
    "judgments/first.jsonl": [{"query_id": "q1", "evidence_id": "d1", "grade": 1}],
}


def write(folder: Path, files: dict[str, Lines]) -> Path:
    for name, content in {**SMALL, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else "".join(map(line, content))
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def line(content: dict[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False) + "\n"


def read(folder: Path, files: dict[str, Lines], **params: Any) -> Collection:
    return read_collection(write(folder, files), params=CollectionParams(path=".", **params))


def problems(folder: Path, files: dict[str, Lines], **params: Any) -> str:
    with pytest.raises(CollectionError) as refused:
        read(folder, files, **params)
    return str(refused.value)


def judged(*rows: dict[str, Any]) -> dict[str, Lines]:
    return {
        "judgments/first.jsonl": [{"query_id": "q1", "evidence_id": "d1", **row} for row in rows]
    }


def test_evidence_and_source_default_to_the_document(tmp_path: Path) -> None:
    documents = [{"doc_id": "d1"}, {"doc_id": "d2", "evidence_id": "e"}]
    collection = read(tmp_path, {"documents.jsonl": documents})
    carried = collection.documents.select("doc_id", "evidence_id", "source_id").rows()
    assert carried == [("d1", "d1", "d1"), ("d2", "e", "e")]


def test_a_field_that_first_appears_late_is_not_lost(tmp_path: Path) -> None:
    documents = [{"doc_id": f"d{i}"} | ({"title": "T"} if i >= 100 else {}) for i in range(130)]
    titles = read(tmp_path, {"documents.jsonl": documents}).documents["title"]
    assert titles.null_count() == 100
    assert len(titles.drop_nulls()) == 30


def test_a_line_that_is_no_json_ends_the_reading_of_nothing(tmp_path: Path) -> None:
    text = '{"doc_id": "d1"}\n{"doc_id": "d2", "start": NaN}\n{"doc_id": "d3"\n{"doc_id": 4}\n'
    message = problems(tmp_path, {"documents.jsonl": text})
    for number in (2, 3, 4):
        assert f"documents.jsonl:{number}:" in message


def test_only_newlines_end_a_line(tmp_path: Path) -> None:
    texts = ["one\u2028two", "three\u0085four\u2029five\x0bsix"]
    documents = [{"doc_id": f"d{i}", "text": text} for i, text in enumerate(texts, start=1)]
    assert read(tmp_path, {"documents.jsonl": documents}).documents["text"].to_list() == texts


def test_blank_lines_and_a_missing_last_newline_are_fine(tmp_path: Path) -> None:
    text = '\n{"doc_id": "d1"}\r\n\n{"doc_id": "d2"}'
    assert read(tmp_path, {"documents.jsonl": text}).documents.height == 2


def test_ids_that_are_numbers_are_refused(tmp_path: Path) -> None:
    message = problems(tmp_path, {"documents.jsonl": '{"doc_id": 7}\n'})
    assert "documents.jsonl:1" in message
    assert "ids are texts" in message


def test_null_ids_are_refused(tmp_path: Path) -> None:
    assert "'doc_id' is missing" in problems(tmp_path, {"documents.jsonl": '{"doc_id": null}\n'})
    assert "'evidence_id' is missing" in problems(tmp_path, judged({"evidence_id": None}))


def test_the_same_id_with_another_text_is_refused_naming_both_lines(tmp_path: Path) -> None:
    documents = [{"doc_id": "d1", "text": "one"}, {"doc_id": "d1", "text": "other"}]
    message = problems(tmp_path, {"documents.jsonl": documents})
    assert "documents.jsonl:2: the same doc_id" in message
    assert "first on line 1, now with another text" in message


def test_the_same_line_twice_counts_once_and_is_noted(tmp_path: Path) -> None:
    documents = [{"doc_id": "d1", "text": "one"}] * 2
    collection = read(tmp_path, {"documents.jsonl": documents})
    assert collection.documents.height == 1
    assert collection.notes["repeated_documents"] == 1


def test_an_empty_corpus_is_refused(tmp_path: Path) -> None:
    assert "no documents; found an empty corpus" in problems(tmp_path, {"documents.jsonl": "\n"})


def test_texts_may_be_empty(tmp_path: Path) -> None:
    collection = read(
        tmp_path,
        {
            "documents.jsonl": [{"doc_id": "d1", "text": ""}],
            "queries.jsonl": [{"query_id": "q1", "text": ""}],
        },
    )
    assert collection.documents["text"].to_list() == [""]
    assert collection.queries["text"].to_list() == [""]


def test_unknown_fields_are_refused_with_the_nearest_known(tmp_path: Path) -> None:
    message = problems(tmp_path, {"documents.jsonl": [{"doc_id": "d1", "valid_form": "2024"}]})
    assert "unknown field 'valid_form'; expected perhaps 'valid_from'" in message
    kept = read(tmp_path, {"documents.jsonl": [{"doc_id": "d1", "metadata": {"page": 4}}]})
    assert kept.documents.height == 1


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("text", 7, "a text"),
        ("text", "\ud800", "surrogate"),
        ("start", -1, "from 0"),
        ("start", True, "whole number"),
        ("start", 1.5, "whole number"),
        ("groups", [], "at least one"),
        ("groups", "staff", "a list"),
        ("groups", [1], "ids are texts"),
        ("valid_from", "soon", "ISO 8601"),
        ("valid_from", 2024, "ISO 8601"),
        ("links", [{"to": "d2"}], "{to, kind}"),
        ("entities", [None], "a non-empty text"),
        ("kind", " Canary", "canary, spelt so"),
    ],
)
def test_document_fields_of_a_wrong_kind(
    tmp_path: Path, field: str, value: object, word: str
) -> None:
    text = json.dumps({"doc_id": "d1", field: value}) + "\n"
    message = problems(tmp_path, {"documents.jsonl": text})
    assert f"documents.jsonl:1: field '{field}' is wrong" in message
    assert word in message


@pytest.mark.parametrize(
    ("field", "value", "word"),
    [
        ("split", "validation", "dev or test"),
        ("weight", "2", "finite number"),
        ("weight", -1, "from 0"),
        ("answerable", "yes", "true or false"),
        ("relevant", {"d1": 1.5}, "whole number"),
        ("relevant", ["d1"], "evidence_id: grade"),
        ("variants", [{"kind": "summary", "text": "x"}], "rewrite"),
        ("required_evidence", [1], "ids are texts"),
    ],
)
def test_query_fields_of_a_wrong_kind(tmp_path: Path, field: str, value: object, word: str) -> None:
    message = problems(tmp_path, {"queries.jsonl": [{"query_id": "q1", field: value}]})
    assert f"queries.jsonl:1: field '{field}' is wrong" in message
    assert word in message


def test_an_interval_that_ends_before_it_begins_is_refused(tmp_path: Path) -> None:
    documents = [{"doc_id": "d1", "start": 9, "end": 3}]
    assert "'end' lies before 'start'" in problems(tmp_path, {"documents.jsonl": documents})
    documents = [{"doc_id": "d1", "valid_from": "2024-02-01", "valid_to": "2024-01-01"}]
    assert "before 'valid_from'" in problems(tmp_path, {"documents.jsonl": documents})


def test_dates_are_moments_in_utc(tmp_path: Path) -> None:
    queries = [{"query_id": "q1", "as_of": "2024-05-31T12:00:00+02:00"}]
    documents = [{"doc_id": "d1", "valid_from": "2024-05-31"}]
    collection = read(tmp_path, {"queries.jsonl": queries, "documents.jsonl": documents})
    assert collection.queries["as_of"].item() == datetime(2024, 5, 31, 10, tzinfo=UTC)
    assert collection.documents["valid_from"].item() == datetime(2024, 5, 31, tzinfo=UTC)


def test_second_names_of_fields(tmp_path: Path) -> None:
    queries = [{"query_id": "q1", "query": "which", "slice": "short"}]
    collection = read(tmp_path, {"queries.jsonl": queries})
    assert collection.queries.select("text", "slices").row(0) == ("which", ["short"])
    both = [{"query_id": "q1", "query": "which", "text": "who"}]
    assert "both 'text' and 'query'" in problems(tmp_path, {"queries.jsonl": both})


def test_judgments_may_stand_inside_the_queries(tmp_path: Path) -> None:
    queries = [{"query_id": "q1", "relevant": {"d1": 2, "d2": 0}}]
    judgments = read(tmp_path, {"queries.jsonl": queries}).judgments
    inline = judgments.filter(pl.col("round") == "").select("evidence_id", "grade").rows()
    assert inline == [("d1", 2), ("d2", 0)]


def test_several_assessors_are_kept(tmp_path: Path) -> None:
    rows = [{"grade": 1, "assessor": "ann"}, {"grade": 3, "assessor": "bob"}]
    assert read(tmp_path, judged(*rows)).judgments.height == 2


def test_one_assessor_who_contradicts_himself_is_named(tmp_path: Path) -> None:
    rows = [{"grade": 1, "assessor": "ann"}, {"grade": 3, "assessor": "ann"}]
    message = problems(tmp_path, judged(*rows))
    assert "first.jsonl:2: one assessor contradicts himself" in message
    assert "query q1 evidence d1 assessor ann: 1 on line 1, now 3" in message


def test_one_assessor_may_change_his_mind_in_a_later_round(tmp_path: Path) -> None:
    second = [{"query_id": "q1", "evidence_id": "d1", "grade": 0}]
    assert read(tmp_path, {"judgments/second.jsonl": second}).judgments.height == 2


@pytest.mark.parametrize("row", [{}, {"grade": 1, "status": "unknown"}, {"status": "judged"}])
def test_a_judgment_has_a_grade_or_says_why_not(tmp_path: Path, row: dict[str, Any]) -> None:
    assert "grade and status contradict" in problems(tmp_path, judged(row))


def test_grades_off_the_scale_need_a_map(tmp_path: Path) -> None:
    message = problems(tmp_path, judged({"grade": 4}))
    assert "first.jsonl:1: a grade off the declared scale; found 4; expected 0 to 3" in message
    assert "collection.grades" in message
    mapped = read(tmp_path, judged({"grade": 4}), grades={4: 3}).judgments
    assert mapped["grade"].item() == 3


def test_judgments_of_another_corpus_are_refused(tmp_path: Path) -> None:
    rows = [{"evidence_id": f"S1-A{i}", "grade": 1} for i in range(40)]
    message = problems(tmp_path, judged(*rows))
    assert "no evidence_id of the judgments is in the corpus; found 0 of 40 join" in message


def test_judgments_of_other_queries_are_refused(tmp_path: Path) -> None:
    message = problems(tmp_path, judged({"query_id": "other", "grade": 1}))
    assert "no query_id of the judgments is in the queries" in message


def test_some_dangling_judgments_are_kept_and_counted(tmp_path: Path) -> None:
    rows = [{"grade": 1}, {"evidence_id": "ghost", "grade": 1}]
    collection = read(tmp_path, judged(*rows))
    assert collection.judgments.height == 2
    assert collection.notes["judged_evidence_without_document"] == 1


def test_no_judgments_at_all_are_no_error(tmp_path: Path) -> None:
    assert read(tmp_path, {"judgments/first.jsonl": ""}).judgments.height == 0


def test_a_run_of_other_documents_is_refused(tmp_path: Path) -> None:
    message = problems(tmp_path, {"runs/dense.run": "q1 Q0 vec:12 1 1.0 t\n"})
    assert "run dense holds documents that are not in the corpus; found 1: vec:12" in message


def test_channels_of_one_file_are_runs_of_their_own(tmp_path: Path) -> None:
    entry = {
        "query_id": "q1",
        "channels": {"bm25": [{"doc_id": "d1", "score": 2}], "dense": []},
        "took_ms": 12.5,
        "filters": {"tenant": "acme"},
    }
    runs = read(tmp_path, {"runs/live.jsonl": [entry]}).runs
    assert sorted(runs) == ["live.bm25", "live.dense"]
    assert runs["live.dense"].results.height == 0
    assert runs["live.dense"].queries.row(0) == ("q1", "ok", 12.5, None, '{"tenant": "acme"}')


def test_two_runs_of_one_name_are_refused(tmp_path: Path) -> None:
    run = "q1 Q0 d1 1 1.0 t\n"
    message = problems(tmp_path, {"runs/bm25.run": run, "runs/bm25.txt": run})
    assert "a run's name is taken" in message


def test_foreign_judgments_in_the_folder_are_not_passed_over(tmp_path: Path) -> None:
    message = problems(tmp_path, {"judgments/test.tsv": "query-id\tcorpus-id\tscore\n"})
    assert "not a round of judgments" in message
    assert "rankgate import" in message


def test_every_part_tells_its_problems_at_once(tmp_path: Path) -> None:
    message = problems(
        tmp_path,
        {
            "documents.jsonl": "{\n",
            "queries.jsonl": '{"query_id": 1}\n',
            "judgments/first.jsonl": '{"query_id": "q1"}\n',
            "runs/bm25.run": "q1 Q0 d1\n",
        },
    )
    for name in ("documents.jsonl:1", "queries.jsonl:1", "first.jsonl:1", "bm25.run:1"):
        assert name in message


def test_many_problems_of_one_kind_are_counted(tmp_path: Path) -> None:
    text = '{"doc_id": 1}\n' * 50
    message = problems(tmp_path, {"documents.jsonl": text})
    assert message.count("is wrong; found number 1") == 3
    assert "47 more like it" in message


def test_messages_do_not_hold_long_texts(tmp_path: Path) -> None:
    secret = "the merger is planned for autumn " * 3
    assert "merger" not in problems(tmp_path, {"documents.jsonl": [{"doc_id": [secret]}]})
    assert "merger" not in problems(
        tmp_path, {"queries.jsonl": [{"query_id": "q1", "split": secret}]}
    )


def test_missing_files_name_the_next_command(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="rankgate import"):
        read_collection(tmp_path / "absent")
    (tmp_path / "documents.jsonl").write_text('{"doc_id": "d"}\n')
    with pytest.raises(MissingError, match=r"queries\.jsonl"):
        read_collection(tmp_path)


def test_vectors_follow_the_order_of_the_lines(tmp_path: Path) -> None:
    folder = write(tmp_path, {"documents.jsonl": [{"doc_id": "d2"}, {"doc_id": "d1"}]})
    (folder / "vectors").mkdir()
    np.save(folder / "vectors/mini.documents.npy", np.array([[2.0, 0.5], [1.0, 0.5]]))
    pl.DataFrame({"id": ["q1"], "vector": [[0.0, 1.0]]}).write_parquet(
        folder / "vectors/mini.queries.parquet"
    )
    vectors = read_collection(folder).vectors["mini"]
    assert vectors.documents.rows() == [("d1", [1.0, 0.5]), ("d2", [2.0, 0.5])]
    assert vectors.queries.rows() == [("q1", [0.0, 1.0])]


@pytest.mark.parametrize(
    ("documents", "word"),
    [
        (np.zeros((3, 2)), "expected 2 rows"),
        (np.zeros(2), "form"),
        (np.array([[np.nan, 1], [1, 1]]), "NaN"),
        (np.array([["a", "b"], ["c", "d"]]), "numbers"),
        (np.zeros((2, 3)), "different lengths"),
    ],
)
def test_vectors_that_do_not_fit(tmp_path: Path, documents: np.ndarray, word: str) -> None:
    folder = write(tmp_path, {})
    (folder / "vectors").mkdir()
    np.save(folder / "vectors/mini.documents.npy", documents)
    np.save(folder / "vectors/mini.queries.npy", np.zeros((1, 2)))
    with pytest.raises(CollectionError, match=word):
        read_collection(folder)


@pytest.mark.parametrize(
    ("name", "folder"),
    [("judgments.jsonl", "judgments"), ("judgments", "judgments"), ("runs", "runs")],
)
def test_a_file_where_a_folder_belongs_is_not_passed_over(
    name: str, folder: str, tmp_path: Path
) -> None:
    write(tmp_path, {})
    if (tmp_path / name).is_dir():
        (tmp_path / name / "first.jsonl").rename(tmp_path / "was.jsonl")
        (tmp_path / name).rmdir()
    (tmp_path / name).write_text('{"query_id": "q1", "evidence_id": "d1", "grade": 1}\n')
    with pytest.raises(CollectionError) as refused:
        read_collection(tmp_path)
    assert f"{tmp_path / name}: a file stands where a folder of {folder} should" in str(
        refused.value
    )


def test_notes_and_dvc_files_beside_the_folders_are_none_of_them(tmp_path: Path) -> None:
    write(tmp_path, {})
    (tmp_path / "runs.dvc").write_text("outs: []\n")
    (tmp_path / "judgments.md").write_text("who judged\n")
    assert read_collection(tmp_path).judgments.height == 1
