"""Import: whole or not at all, official sides kept, everything left behind is counted."""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.collection import import_collection, read_collection
from pipeline.collection.declared import Declaration
from pipeline.collection.import_ir_datasets import _documents
from pipeline.collection.import_writing import whole_folder
from pipeline.collection.problems import Problems
from pipeline.errors import CollectionError, InputError, MissingError, ParameterError


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


def test_a_beir_field_that_first_appears_late_and_marks_inside_texts_are_kept(
    tmp_path: Path,
) -> None:
    lines = [
        {"_id": f"d{i}", "text": "t"} | ({"title": "T"} if i > 100 else {}) for i in range(131)
    ]
    lines[0]["text"] = "line one\u2028line two"
    corpus = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    source = beir(tmp_path / "in", corpus="")
    (source / "corpus.jsonl").write_text(corpus, encoding="utf-8")
    import_collection(source, format="beir", target=tmp_path, name="x")
    documents = read_collection(tmp_path / "x").documents
    assert (documents.height, documents["title"].null_count()) == (131, 101)
    assert documents.filter(doc_id="d0")["text"].item() == "line one\u2028line two"


def test_a_beir_line_that_is_no_json_ends_no_file_early(tmp_path: Path) -> None:
    corpus = '{"_id": "d1", "n": 1.0}\n{"_id": "d2", "n": NaN}\n{"_id": "d3", "n": 2.0}\n{"_id"\n'
    source = beir(tmp_path / "in", corpus=corpus)
    with pytest.raises(CollectionError) as refused:
        import_collection(source, format="beir", target=tmp_path / "out", name="x")
    assert re.findall(r"corpus\.jsonl:(\d+)", str(refused.value)) == ["2", "4"]
    assert not (tmp_path / "out" / "x").exists()


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


@pytest.mark.parametrize("name", ["", ".", "..", ".hidden", "a/b", "a b", "a\n"])
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


def test_a_beir_folder_read_as_trec_keeps_its_judgments_or_asks_which(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    with pytest.raises(InputError, match=r"test\.tsv, train\.tsv.*--judgments.*--format beir"):
        import_collection(source, format="trec", target=tmp_path, name="x")
    (source / "qrels/train.tsv").unlink()
    report = import_collection(source, format="trec", target=tmp_path / "out", name="one")
    assert report.counts["judgments"] == 2
    assert report.counts["queries"] == 4


def test_files_that_were_not_read_are_named(tmp_path: Path) -> None:
    source = beir(tmp_path / "in")
    (source / "queries.train.jsonl").write_text("")
    (source / ".hidden").write_text("")
    report = import_collection(
        source, format="beir", target=tmp_path, name="x", splits=["test=test"]
    )
    assert report.unread == ["qrels/train.tsv", "queries.train.jsonl"]
    assert report.listed == {"queries of no chosen split": ["q3", "q4"]}
    said = json.loads((tmp_path / "x/import.json").read_text())
    assert said["listed"]["queries of no chosen split"] == ["q3", "q4"]
    assert str(tmp_path) not in json.dumps(said)


def test_a_folder_without_judgments_says_so(tmp_path: Path) -> None:
    (tmp_path / "in/runs").mkdir(parents=True)
    (tmp_path / "in/runs/a.run").write_text("q1 Q0 d1 1 2.5 t\n")
    report = import_collection(tmp_path / "in", format="trec", target=tmp_path, name="x")
    assert "no judgments: no file whose name says qrels, no --judgments" in report.notes


def test_repeated_lines_are_counted(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", test="q1\td1\t1\nq1\td1\t1\n")
    line = '{"_id": "d1", "text": "one", "metadata": {"year": 1960}}\n'
    (source / "corpus.jsonl").write_text(line * 2)
    report = import_collection(source, format="beir", target=tmp_path, name="x", splits=["test"])
    assert report.dropped == {
        "field 'metadata'": 2,
        "queries of no chosen split": 3,
        "repeated judgments": 1,
        "repeated lines of documents": 1,
    }


def test_words_after_the_last_column_are_left_behind_where_that_is_said(tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("# made by hand\nq1 Q0 d1 1 2.50 t and more\nq1  Q0\td2 2 1e0 t\n")
    qrels.write_text("q1 0 d1 1 sure\n")
    options = {"format": "trec", "target": tmp_path / "out", "judgments": qrels, "runs": [run]}
    with pytest.raises(CollectionError, match="--trailing ignore"):
        import_collection(**options, name="strict")
    report = import_collection(**options, name="lax", trailing="ignore", link=True)
    assert report.dropped == {"words after the sixth column of a.run, on lines": 1}
    written = (report.path / "runs/a.run").read_text()
    assert written == "q1 Q0 d1 1 2.50 t\nq1 Q0 d2 2 1e0 t\n"
    assert read_collection(report.path).runs["a"].results.height == 2


def test_a_table_of_judgments_makes_a_collection_of_its_own_texts(tmp_path: Path) -> None:
    judged = tmp_path / "ratings.csv"
    judged.write_text("query,docid,rating\nstuck valve,a,3\nstuck valve,b,0\ngear oil,a,\n")
    report = import_collection(format="trec", target=tmp_path / "out", name="q", judgments=judged)
    assert report.dropped == {"rows without a grade": 1}
    collection = read_collection(report.path)
    assert collection.queries["text"].to_list() == ["stuck valve"]
    assert collection.judgments["grade"].sort().to_list() == [0, 3]


def test_a_native_collection_takes_judgments_from_a_table(tmp_path: Path) -> None:
    import_collection(beir(tmp_path / "in"), format="beir", target=tmp_path, name="first")
    judged = tmp_path / "second.csv"
    judged.write_text("query,doc,grade\nt1,d2,2\n")
    report = import_collection(
        tmp_path / "first", format="jsonl", target=tmp_path, name="again", judgments=judged
    )
    rows = read_collection(report.path).judgments.select("query_id", "evidence_id", "grade").rows()
    assert rows == [("q1", "d2", 2)]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("q1 Q0 d9 1 2 t", "run late holds documents that are not in the corpus; found 1: d9"),
        ("Q1 Q0 d1 1 2 t", "no query_id of run late is in the queries"),
    ],
)
def test_a_run_beside_a_native_folder_agrees_with_it_or_is_refused(
    tmp_path: Path, line: str, said: str
) -> None:
    import_collection(beir(tmp_path / "in"), format="beir", target=tmp_path, name="first")
    run = tmp_path / "late.run"
    run.write_text(f"{line}\n")
    with pytest.raises(CollectionError, match=said):
        import_collection(
            tmp_path / "first", format="jsonl", target=tmp_path, name="again", runs=[run]
        )
    assert not (tmp_path / "again").exists()
    run.write_text("q1 Q0 d1 1 2 t\nq9 Q0 d1 1 2 t\n")
    report = import_collection(
        tmp_path / "first", format="jsonl", target=tmp_path, name="again", runs=[run]
    )
    assert report.counts["run_queries_unknown"] == 1


def test_what_a_source_declared_goes_with_it(tmp_path: Path) -> None:
    said = Declaration("exhaustive", (0, 4), 2, {-1: 0})
    import_collection(
        beir(tmp_path / "in"), format="beir", target=tmp_path, name="once", declaration=said
    )
    report = import_collection(tmp_path / "once", format="jsonl", target=tmp_path, name="twice")
    declared = report.declared
    assert (declared.regime, declared.scale, declared.rel) == ("exhaustive", (0, 4), 2)
    assert declared.grades == {-1: 0}
    assert set(declared.origin.values()) == {"source"}


def test_a_grade_off_the_declared_scale_leaves_nothing(tmp_path: Path) -> None:
    source = beir(tmp_path / "in", test="q1\td1\t7\n")
    with pytest.raises(CollectionError, match="a grade off the declared scale; found 7"):
        import_collection(
            source,
            format="beir",
            target=tmp_path / "out",
            name="x",
            splits=["test"],
            declaration=Declaration(scale=(0, 3)),
        )
    assert not list(tmp_path.glob("out/*"))


@pytest.fixture
def catalogue(tmp_path: Path) -> Iterator[str]:
    """A small data set in the real catalogue of ir_datasets, with two parts; its id."""
    ir_datasets = pytest.importorskip("ir_datasets")
    made = tmp_path / "made"
    made.mkdir()
    (made / "docs.tsv").write_text("007\tone\n7\ttwo\n")
    (made / "qrels.dev").write_text("q1 0 007 2\nq1 0 007 2\n")
    (made / "qrels.test").write_text("q2 0 7 1\nq2 0 007 -1\n")
    known = ir_datasets.registry._registered
    before = dict(known)
    docs = str(made / "docs.tsv")
    ir_datasets.registry.register("tiny", ir_datasets.create_dataset(docs_tsv=docs))
    for part, query in {"dev": "q1", "test": "q2"}.items():
        (made / f"queries.{part}").write_text(f"{query}\twhich {part}\n")
        dataset = ir_datasets.create_dataset(
            docs_tsv=docs,
            queries_tsv=str(made / f"queries.{part}"),
            qrels_trec=str(made / f"qrels.{part}"),
        )
        ir_datasets.registry.register(f"tiny/{part}", dataset)
    yield "tiny"
    known.clear()
    known.update(before)


def test_a_data_set_of_ir_datasets(tmp_path: Path, catalogue: str) -> None:
    report = import_collection(
        f"{catalogue}/test", format="ir_datasets", target=tmp_path / "out", name="tiny"
    )
    collection = read_collection(tmp_path / "out/tiny")
    assert collection.documents.select("doc_id", "text").rows() == [("007", "one"), ("7", "two")]
    assert collection.queries.select("query_id", "text", "split").rows() == [
        ("q2", "which test", None)
    ]
    grades = collection.judgments.select("evidence_id", "grade").rows()
    assert sorted(grades) == [("007", -1), ("7", 1)]
    assert report.declared.scale == (-1, 1)


def test_parts_of_ir_datasets_are_official_sides(tmp_path: Path, catalogue: str) -> None:
    report = import_collection(
        catalogue,
        format="ir_datasets",
        target=tmp_path / "out",
        name="tiny",
        splits=["dev", "test"],
    )
    collection = read_collection(tmp_path / "out/tiny")
    assert collection.queries.select("query_id", "split").rows() == [("q1", "dev"), ("q2", "test")]
    assert "official sides kept: dev is dev, test is test" in report.notes
    assert report.dropped == {"repeated judgments": 1}


def test_what_ir_datasets_cannot_give_is_told(tmp_path: Path, catalogue: str) -> None:
    options = {"format": "ir_datasets", "target": tmp_path / "out", "name": "x"}
    with pytest.raises(MissingError, match=r"knows no such data set.*ir_datasets list"):
        import_collection("huge", **options)
    with pytest.raises(MissingError, match="could not give the data set; found AttributeError"):
        import_collection(catalogue, **options)  # it has no queries of its own
    with pytest.raises(ParameterError, match="a split that is no side"):
        import_collection(catalogue, **options, splits=["odd"])
    (tmp_path / "made/docs.tsv").unlink()
    with pytest.raises(MissingError, match="could not give the data set; found FileNotFound"):
        import_collection(f"{catalogue}/test", **options)
    assert not list(tmp_path.glob("out/*"))


def test_fields_that_the_native_form_has_not_are_counted() -> None:
    class Doc(NamedTuple):
        doc_id: str
        title: str
        body: str
        url: str

        def default_text(self) -> str:
            return f"{self.title} {self.body}"

    class Corpus:
        def docs_iter(self) -> Iterator[Doc]:
            yield Doc("a", "pump", "stuck", "http://x")
            yield Doc("b", "valve", "open", "")

    dropped: Counter[str] = Counter()
    rows = _documents(Corpus(), "x", Problems("x"), dropped).kept
    # Its default text holds the title, which is not said twice.
    assert [row.get("text") for row in rows.values()] == ["pump stuck", "valve open"]
    assert "title" not in rows["a"]
    assert +dropped == {"field 'body'": 2, "field 'url'": 1}


def test_without_ir_datasets_the_way_out_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(MissingError, match=r"not installed.*rankgate\[ir-datasets\]"):
        import_collection("tiny", format="ir_datasets", target=tmp_path, name="x")


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


def test_git_passes_over_a_collection_that_is_not_whole_yet(tmp_path: Path) -> None:
    with whole_folder(tmp_path / "five") as unfinished:
        assert (unfinished / ".gitignore").read_text() == "*\n"
        (unfinished / "documents.jsonl").write_text("{}\n")
    assert [file.name for file in tmp_path.rglob("*")] == ["five", "documents.jsonl"]
