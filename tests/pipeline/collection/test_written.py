"""What goes out comes back in: runs, judgments and collections, whatever their ids and texts."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.collection import (
    import_collection,
    read_collection,
    read_qrels,
    read_run,
    write_qrels,
    write_run,
)
from pipeline.errors import InputError
from tests.strategies import texts, words

RUN = {"query_id": pl.String(), "rank": pl.Int64(), "doc_id": pl.String(), "score": pl.Float64()}
QRELS = {"query_id": pl.String(), "evidence_id": pl.String(), "grade": pl.Int64()}
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that examples write over each other in."""
    return tmp_path_factory.mktemp("written")


@st.composite
def runs(draw: st.DrawFn, ids: st.SearchStrategy[str]) -> pl.DataFrame:
    """Ranked runs, scores falling with rank."""
    rows = []
    for query in draw(st.lists(ids, max_size=4, unique=True)):
        documents = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
        scores = draw(st.lists(FINITE, min_size=len(documents), max_size=len(documents)))
        ordered = sorted(zip(scores, documents, strict=True), reverse=True)
        rows += [(query, rank, doc, score) for rank, (score, doc) in enumerate(ordered, start=1)]
    return pl.DataFrame(rows, schema=RUN, orient="row")


def judged(ids: st.SearchStrategy[str]) -> st.SearchStrategy[pl.DataFrame]:
    """Graded pairs, each once."""
    pairs = st.dictionaries(st.tuples(ids, ids), st.integers(-(2**53), 2**53), max_size=8)
    return pairs.map(
        lambda said: pl.DataFrame(
            [(*pair, grade) for pair, grade in said.items()], schema=QRELS, orient="row"
        )
    )


@settings(max_examples=40)
@given(run=runs(words()))
@pytest.mark.parametrize("name", ["out.run", "out.run.gz", "out.jsonl", "out.jsonl.gz"])
def test_a_run_comes_back_in_its_order(place: Path, name: str, run: pl.DataFrame) -> None:
    path = place / name
    write_run(path, run)
    columns = ["query_id", "rank", "doc_id"]
    assert read_run(path).select(columns).rows() == run.sort(columns).select(columns).rows()


@given(run=runs(texts(least=1)))
def test_lines_of_json_keep_scores_to_the_last_bit_and_ids_of_any_form(
    place: Path, run: pl.DataFrame
) -> None:
    path = place / "out.jsonl"
    write_run(path, run)
    back = read_run(path).select(list(RUN))
    assert back.rows() == run.sort("query_id", "rank").rows()


@settings(max_examples=40)
@given(pairs=judged(words()))
@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz", "round.jsonl"])
def test_judgments_come_back(place: Path, name: str, pairs: pl.DataFrame) -> None:
    path = place / name
    write_qrels(path, pairs)
    assert read_qrels(path).rows() == pairs.sort("query_id", "evidence_id").rows()


@pytest.mark.parametrize(
    "name", ["a b", " a", "a\n", "", "\u00a0", "a\u2003b", "#a", "a\tb", "\ufeffa"]
)
def test_an_id_that_would_part_into_columns_is_refused_and_nothing_is_written(
    tmp_path: Path, name: str
) -> None:
    run = pl.DataFrame([("q", 1, name, 1.0)], schema=RUN, orient="row")
    with pytest.raises(InputError, match=r"cannot stand in a TREC file.*\.jsonl"):
        write_run(tmp_path / "out.run", run)
    qrels = pl.DataFrame([(name, "d", 1)], schema=QRELS, orient="row")
    with pytest.raises(InputError, match="cannot stand in a TREC file"):
        write_qrels(tmp_path / "qrels.txt", qrels)
    assert not list(tmp_path.iterdir())


def test_bytes_are_the_same_each_time(tmp_path: Path) -> None:
    run = pl.DataFrame([("q", 1, "a", 1.0)], schema=RUN, orient="row")
    for name in ("one.run.gz", "two.run.gz"):
        write_run(tmp_path / name, run)
    assert (tmp_path / "one.run.gz").read_bytes() == (tmp_path / "two.run.gz").read_bytes()


def test_what_nobody_knows_is_no_line_of_qrels(tmp_path: Path) -> None:
    rows = {"query_id": ["q", "q"], "evidence_id": ["a", "b"], "grade": [1, None]}
    frame = pl.DataFrame({**rows, "status": ["judged", "unknown"]})
    write_qrels(tmp_path / "qrels.txt", frame)
    assert (tmp_path / "qrels.txt").read_text() == "q 0 a 1\n"
    write_qrels(tmp_path / "round.jsonl", frame)
    assert json.loads((tmp_path / "round.jsonl").read_text().splitlines()[1])["status"] == "unknown"


DOCUMENTS = st.fixed_dictionaries(
    {"text": texts()},
    optional={
        "title": texts(),
        "evidence_id": texts(least=1),
        "tenant": texts(least=1),
        "groups": st.lists(texts(least=1), min_size=1, max_size=3),
        "entities": st.lists(texts(least=1), max_size=3),
        "start": st.integers(0, 2**53),
        "valid_from": st.datetimes().map(lambda moment: moment.isoformat()),
        "kind": texts(),
    },
)
ASKED = st.fixed_dictionaries(
    {},
    optional={
        "text": texts(),
        "slices": st.lists(texts(least=1), max_size=3),
        "answerable": st.booleans(),
        "weight": st.floats(0, 1e300),
        "split": st.sampled_from(["dev", "test", "train", "reserve"]),
    },
)


@st.composite
def collections(draw: st.DrawFn) -> dict[str, list[dict[str, Any]]]:
    """Native lines of a small collection that agrees with itself."""
    documents = draw(st.dictionaries(texts(least=1), DOCUMENTS, min_size=1, max_size=4))
    queries = draw(st.dictionaries(texts(least=1), ASKED, min_size=1, max_size=4))
    evidence = sorted({row.get("evidence_id", doc) for doc, row in documents.items()})
    pairs = st.tuples(st.sampled_from(sorted(queries)), st.sampled_from(evidence))
    grades = draw(st.dictionaries(pairs, st.integers(-5, 5), max_size=6))
    return {
        "documents": [{"doc_id": doc, **row} for doc, row in documents.items()],
        "queries": [{"query_id": query, **row} for query, row in queries.items()],
        "judged": [{"query_id": q, "evidence_id": e, "grade": g} for (q, e), g in grades.items()],
    }


FILES = {"documents": "documents", "queries": "queries", "judged": "judgments/r"}


def lines(rows: list[dict[str, Any]], *, ascii_only: bool = False) -> str:
    return "".join(json.dumps(row, ensure_ascii=ascii_only) + "\n" for row in rows)


def native(folder: Path, content: dict[str, list[dict[str, Any]]], **style: bool) -> Path:
    (folder / "judgments").mkdir(parents=True, exist_ok=True)
    for name, file in FILES.items():
        (folder / f"{file}.jsonl").write_text(lines(content[name], **style), "utf-8", newline="")
    return folder


@settings(max_examples=40)
@given(content=collections())
def test_a_native_collection_is_read_as_it_was_written(
    place: Path, content: dict[str, list[dict[str, Any]]]
) -> None:
    folder = place / "native"
    read = read_collection(native(folder / "one", content))
    said = {row["doc_id"]: row for row in content["documents"]}
    assert set(read.documents["doc_id"]) == set(said)
    for row in read.documents.iter_rows(named=True):
        line = said[row["doc_id"]]
        for field in ("text", "title", "tenant", "groups", "start", "kind"):
            assert row[field] == line.get(field)
        assert row["evidence_id"] == line.get("evidence_id", row["doc_id"])
        assert row["entities"] == (sorted(set(line["entities"])) if "entities" in line else None)
    asked = {row["query_id"]: row for row in content["queries"]}
    for row in read.queries.iter_rows(named=True):
        for field in ("text", "answerable", "weight", "split"):
            assert row[field] == asked[row["query_id"]].get(field)
    graded = {(r["query_id"], r["evidence_id"]): r["grade"] for r in content["judged"]}
    pairs = read.judgments.select("query_id", "evidence_id", "grade").rows()
    assert {(q, e): g for q, e, g in pairs} == graded
    # Escaped or not, a text is the same.
    again = read_collection(native(folder / "two", content, ascii_only=True))
    assert again.documents.equals(read.documents)
    assert again.queries.equals(read.queries)


@settings(max_examples=40)
@given(content=collections())
def test_a_beir_folder_becomes_the_same_documents_queries_and_grades(
    place: Path, content: dict[str, list[dict[str, Any]]]
) -> None:
    folder = place / "beir"
    corpus = [
        {"_id": row["doc_id"], "title": row.get("title", ""), "text": row["text"]}
        for row in content["documents"]
    ]
    asked = [{"_id": row["query_id"], "text": row.get("text", "")} for row in content["queries"]]
    ids = {row["_id"] for row in corpus}
    bare = [r for r in content["judged"] if r["evidence_id"] in ids]
    part = [r for r in bare if not {"\t", "\n", "\r"} & {*r["query_id"], *r["evidence_id"]}]
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    (folder / "corpus.jsonl").write_text(lines(corpus), "utf-8", newline="")
    (folder / "queries.jsonl").write_text(lines(asked), "utf-8", newline="")
    table = [f"{r['query_id']}\t{r['evidence_id']}\t{r['grade']}\n" for r in part]
    text = "query-id\tcorpus-id\tscore\n" + "".join(table)
    (folder / "qrels/test.tsv").write_text(text, "utf-8", newline="")
    report = import_collection(folder, format="beir", target=folder, name="out")
    read = read_collection(report.path)
    texts_of = {row["_id"]: row["text"] for row in corpus}
    assert dict(read.documents.select("doc_id", "text").iter_rows()) == texts_of
    asked_of = {row["_id"]: row["text"] for row in asked}
    kept = dict(read.queries.select("query_id", "text").iter_rows())
    assert kept == {query: asked_of[query] for query in kept}
    pairs = read.judgments.select("query_id", "evidence_id", "grade").rows()
    assert sorted(pairs) == sorted((r["query_id"], r["evidence_id"], r["grade"]) for r in part)
