"""Stage snapshot: content decides, not bytes; what is noticed is told."""

import json
from pathlib import Path
from typing import Any

from pipeline import snapshot
from pipeline.collection import collection_from_files
from pipeline.params import Params
from pipeline.snapshot import Snapshot
from pipeline.storage import to_json
from tests.rows import params


def study(**collection: Any) -> Params:
    return params({"bm25": {"kind": "bm25"}}, collection={"path": ".", **collection})


def write(
    folder: Path,
    documents: list[dict[str, Any]],
    judged: list[tuple[str, str, int]],
    *,
    newline: str = "\n",
    reverse: bool = False,
) -> Path:
    (folder / "judgments").mkdir(parents=True)
    names = ("query_id", "evidence_id", "grade")
    rounds = [dict(zip(names, row, strict=True)) for row in judged]
    queries = [{"query_id": q, "text": q} for q in sorted({q for q, _, _ in judged})]
    files = {"documents": documents, "queries": queries, "judgments/r1": rounds}
    for name, rows in files.items():
        ordered = [dict(reversed(row.items())) for row in reversed(rows)] if reverse else rows
        text = "".join(json.dumps(row, ensure_ascii=False) + newline for row in ordered)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="")
    return folder


def take(folder: Path, **collection: Any) -> Snapshot:
    return snapshot.compute(collection=folder, params=study(**collection))


TWO = [{"doc_id": "c1", "text": "See  appendix."}, {"doc_id": "t1", "text": "see appendix."}]


def test_line_ends_and_the_order_of_lines_and_keys_change_no_hash(tmp_path: Path) -> None:
    judged = [("q1", "c1", 1), ("q1", "t1", 0)]
    plain = take(write(tmp_path / "a", TWO, judged))
    other = take(write(tmp_path / "b", TWO, judged, newline="\r\n", reverse=True))
    assert plain.manifest["hashes"] == other.manifest["hashes"]
    assert plain.documents.equals(other.documents)


def test_any_change_of_content_changes_the_hash_of_its_part(tmp_path: Path) -> None:
    first = take(write(tmp_path / "a", TWO, [("q1", "c1", 1)])).manifest["hashes"]
    second = take(write(tmp_path / "b", TWO, [("q1", "c1", 2)])).manifest["hashes"]
    assert first["documents"] == second["documents"]
    assert first["judgments"] != second["judgments"]
    assert first["collection"] != second["collection"]


def test_text_twins_of_different_evidence_are_listed(tmp_path: Path) -> None:
    noticed = take(write(tmp_path / "a", TWO, [("q1", "t1", 1)])).manifest["noticed"]
    assert noticed["text_twins"] == {"count": 1, "first": [["c1", "t1"]]}
    same = [{**row, "evidence_id": "e"} for row in TWO]
    noticed = take(write(tmp_path / "b", same, [("q1", "e", 1)])).manifest["noticed"]
    assert noticed["text_twins"]["count"] == 0


def test_judgments_of_documents_that_are_not_there_are_told_with_the_policy(
    tmp_path: Path,
) -> None:
    taken = take(write(tmp_path / "a", TWO, [("q1", "c1", 1), ("q1", "ghost", 1)]))
    dangling = taken.manifest["noticed"]["judged_evidence_without_document"]
    assert dangling["count"] == 1
    assert dangling["first"] == ["ghost"]
    assert "kept" in dangling["policy"]
    assert taken.judgments.height == 2


def test_ids_that_differ_only_by_normal_form_are_told_and_not_joined(tmp_path: Path) -> None:
    documents = [{"doc_id": "r\u00e9sum\u00e9-1"}, {"doc_id": "d2"}]
    judged = [("q1", "re\u0301sume\u0301-1", 1), ("q1", "d2", 1)]
    noticed = take(write(tmp_path / "a", documents, judged)).manifest["noticed"]
    assert noticed["ids_alike"]["first"] == [["re\u0301sume\u0301-1", "r\u00e9sum\u00e9-1"]]
    assert noticed["judged_evidence_without_document"]["count"] == 1


def test_ids_alike_are_told_where_runs_and_judgments_are_all_there_is(tmp_path: Path) -> None:
    # Both forms become documents here: nothing dangles, and every list scores nothing.
    (tmp_path / "a.run").write_text("q1 Q0 re\u0301-1 1 2 t\nq\u00e9 Q0 d 1 1 t\n", "utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 r\u00e9-1 1\nqe\u0301 0 d 1\n", "utf-8")
    collection = collection_from_files(
        runs={"a": tmp_path / "a.run"}, judgments=tmp_path / "qrels.txt"
    )
    noticed = snapshot.of(collection, study()).manifest["noticed"]
    expected = [["re\u0301-1", "r\u00e9-1"], ["qe\u0301", "q\u00e9"]]
    assert noticed["ids_alike"] == {"count": 2, "first": expected}


def test_the_manifest_is_json_and_says_what_there_is(tmp_path: Path) -> None:
    documents = [{"doc_id": "d1", "tenant": "acme", "valid_from": "2024-01-01"}]
    manifest = take(write(tmp_path / "a", documents, [("q1", "d1", 2)]), rel=2).manifest
    assert json.loads(to_json(manifest)) == manifest
    assert (manifest["has_acl"], manifest["has_dates"], manifest["has_text"]) == (
        True,
        True,
        False,
    )
    assert (manifest["scale"], manifest["rel"], manifest["grades"]) == ([0, 3], 2, {"2": 1})


def test_the_summary_counts(tmp_path: Path) -> None:
    summary = take(write(tmp_path / "a", TWO, [("q1", "c1", 1)])).summary
    assert (summary["documents"], summary["queries"], summary["judgments"]) == (2, 1, 1)
    json.loads(to_json(summary))
