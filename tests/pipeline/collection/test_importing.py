"""Import: whole or not at all, official sides kept, everything left behind is counted."""

import json
from pathlib import Path

import pytest

from pipeline.collection import import_collection, read_collection
from pipeline.errors import CollectionError, MissingError, ParameterError


def beir(folder: Path, **files: str) -> Path:
    content = {
        "corpus": '{"_id": "d1", "title": "", "text": "one"}\n{"_id": "d2", "text": "two"}\n',
        "queries": "".join(f'{{"_id": "q{i}", "text": "t{i}"}}\n' for i in range(1, 5)),
        "test": "q1\td1\t1\nq2\td2\t1\n",
        "train": "q3\td1\t1\n",
    } | files
    (folder / "qrels").mkdir(parents=True)
    for name in ("corpus", "queries"):
        (folder / f"{name}.jsonl").write_text(content[name])
    for name in ("test", "train"):
        table = f"query-id\tcorpus-id\tscore\n{content[name]}"
        (folder / f"qrels/{name}.tsv").write_text(table)
    return folder


def test_official_sides_are_kept_and_other_queries_counted(tmp_path: Path) -> None:
    report = import_collection(
        beir(tmp_path / "in"), format="beir", target=tmp_path / "out", name="small"
    )
    collection = read_collection(tmp_path / "out/small")
    sides = collection.queries.select("query_id", "split").rows()
    assert sides == [("q1", "test"), ("q2", "test"), ("q3", "train")]
    assert report.dropped == {"queries of no chosen split": 1}
    assert report.counts["judgments"] == 3
    assert sorted(p.name for p in (tmp_path / "out/small/judgments").iterdir()) == [
        "test.jsonl",
        "train.jsonl",
    ]


def test_one_split_alone_records_no_side_unless_told(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    options = {"format": "beir", "target": tmp_path}
    report = import_collection(source, **options, name="free", splits=["test"])
    assert "divides it itself" in report.notes[0]
    assert read_collection(tmp_path / "free").queries["split"].null_count() == 2
    import_collection(source, **options, name="kept", splits=["train=dev"])
    assert read_collection(tmp_path / "kept").queries["split"].to_list() == ["dev"]


def test_a_split_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="found validation; expected test, train"):
        import_collection(
            beir(tmp_path / "in"), format="beir", target=tmp_path, name="x", splits=["validation"]
        )


def test_a_query_judged_in_two_splits_is_refused(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", train="q1\td1\t1\n")
    with pytest.raises(CollectionError, match="query q1: train and test"):
        import_collection(source, format="beir", target=tmp_path, name="x")


def test_a_split_without_its_queries_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", train="q77\td1\t1\n")
    with pytest.raises(CollectionError, match=r"no query of split train.*--queries.*--split"):
        import_collection(source, format="beir", target=tmp_path / "out", name="x")
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").iterdir())


def test_where_nothing_is_judged_yet_all_queries_are_taken(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", test="", train="")
    report = import_collection(source, format="beir", target=tmp_path, name="unjudged")
    assert report.counts["judgments"] == 0
    assert read_collection(tmp_path / "unjudged").queries.height == 4


def test_without_any_query_nothing_is_written(tmp_path: Path) -> None:
    run, qrels = tmp_path / "empty.run", tmp_path / "qrels.txt"
    run.write_text("")
    qrels.write_text("")
    with pytest.raises(CollectionError, match="no queries"):
        import_collection(
            format="trec", target=tmp_path / "out", name="none", judgments=qrels, runs=[run]
        )
    assert not (tmp_path / "out" / "none").exists()


def test_conflicting_judgments_are_refused_with_the_sources_lines(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", test="q1\td1\t1\nq1\td1\t0\n")
    with pytest.raises(CollectionError, match=r"test\.tsv:3: two grades for one pair"):
        import_collection(source, format="beir", target=tmp_path, name="x")


def test_an_existing_collection_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "small/mine.txt").write_text("precious")
    with pytest.raises(ParameterError, match="there already"):
        import_collection(beir(tmp_path / "in"), format="beir", target=tmp_path, name="small")
    assert (tmp_path / "small/mine.txt").read_text() == "precious"


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b"])
def test_names_that_leave_the_folder_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match="name"):
        import_collection(beir(tmp_path / "in"), format="beir", target=tmp_path, name=name)


def test_an_unknown_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="jsonl, beir, trec, ir_datasets"):
        import_collection(tmp_path, format="csv", target=tmp_path, name="x")


def test_a_failure_while_writing_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("pipeline.collection.importing.write_json", fail)
    with pytest.raises(OSError, match="disk full"):
        import_collection(
            beir(tmp_path / "in"), format="beir", target=tmp_path / "out", name="small"
        )
    assert list((tmp_path / "out").iterdir()) == []


def test_trec_files_become_a_collection_of_ids(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/bm25.run").write_text("01 Q0 d1 1 2.5 t\n")
    (tmp_path / "qrels.txt").write_text("01 0 d2 1\n01 0 d2 1\n")
    report = import_collection(tmp_path, format="trec", target=tmp_path / "out", name="ids")
    assert report.counts == {"documents": 2, "queries": 1, "judgments": 1, "runs": 1}
    collection = read_collection(tmp_path / "out/ids")
    assert collection.queries["query_id"].to_list() == ["01"]
    assert collection.runs["bm25"].results["score"].to_list() == [2.5]


def test_single_files_are_taken_from_where_they_lie(tmp_path: Path) -> None:
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 2.5 t\n")
    (tmp_path / "topics.txt").write_text("q1\twhich\n")
    (tmp_path / "judged.txt").write_text("q1 0 d1 1\n")
    import_collection(
        format="trec",
        target=tmp_path / "out",
        name="ids",
        runs=[tmp_path / "a.run"],
        queries=tmp_path / "topics.txt",
        judgments=tmp_path / "judged.txt",
        link=True,
    )
    link = tmp_path / "out/ids/runs/a.run"
    assert link.is_symlink()
    assert link.read_text() == (tmp_path / "a.run").read_text()
    assert read_collection(tmp_path / "out/ids").queries["text"].to_list() == ["which"]


def test_a_native_collection_is_taken_byte_for_byte(tmp_path: Path) -> None:
    source = tmp_path / "in"
    (source / "judgments").mkdir(parents=True)
    (source / "documents.jsonl").write_text('{"doc_id":  "d1"}\n')
    (source / "queries.jsonl").write_text('{"query_id": "q1"}\n')
    judged = {"query_id": "q1", "evidence_id": "d1", "grade": 1, "assessor": "ann", "note": "n"}
    (source / "judgments/r1.jsonl").write_text(json.dumps(judged) + "\n")
    import_collection(source, format="jsonl", target=tmp_path, name="out")
    for name in ("documents.jsonl", "queries.jsonl", "judgments/r1.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (source / name).read_bytes()


def test_importing_what_was_imported_changes_nothing(tmp_path: Path) -> None:
    import_collection(beir(tmp_path / "in"), format="beir", target=tmp_path, name="once")
    import_collection(tmp_path / "once", format="jsonl", target=tmp_path, name="twice")
    first, second = (read_collection(tmp_path / name) for name in ("once", "twice"))
    assert first.documents.equals(second.documents)
    assert first.queries.equals(second.queries)
    assert first.judgments.equals(second.judgments)


def test_a_data_set_of_ir_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ir_datasets = pytest.importorskip("ir_datasets")
    (tmp_path / "docs.tsv").write_text("007\tone\n")
    (tmp_path / "queries.tsv").write_text("q1\twhich\n")
    (tmp_path / "qrels").write_text("q1 0 007 2\n")
    dataset = ir_datasets.create_dataset(
        docs_tsv=str(tmp_path / "docs.tsv"),
        queries_tsv=str(tmp_path / "queries.tsv"),
        qrels_trec=str(tmp_path / "qrels"),
    )
    monkeypatch.setattr(ir_datasets, "load", {"tiny": dataset}.__getitem__)
    import_collection("tiny", format="ir_datasets", target=tmp_path / "out", name="tiny")
    collection = read_collection(tmp_path / "out/tiny")
    assert collection.documents.select("doc_id", "text").rows() == [("007", "one")]
    assert collection.judgments["grade"].to_list() == [2]
    with pytest.raises(MissingError, match="no such data set"):
        import_collection("huge", format="ir_datasets", target=tmp_path / "out", name="huge")


def test_scifact(collections: Path, tmp_path: Path) -> None:
    report = import_collection(
        collections / "scifact", format="beir", target=tmp_path, name="scifact", splits=["test"]
    )
    counts = {"documents": 5183, "queries": 300, "judgments": 339, "runs": 0}
    assert report.counts == counts


def test_recorded_runs_of_trec_covid(collections: Path, tmp_path: Path) -> None:
    report = import_collection(
        collections / "trec-covid-r1-runs", format="trec", target=tmp_path, name="c", link=True
    )
    assert (report.counts["queries"], report.counts["runs"]) == (30, 9)
