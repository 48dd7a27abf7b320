"""Every reader of foreign bytes, a file that it reads, and what it makes of one."""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import xlsxwriter

from pipeline.collection import RecordedRun, read_collection
from pipeline.collection.beir import read_beir_documents
from pipeline.collection.declared import declared_of
from pipeline.collection.documents import read_documents
from pipeline.collection.files import read_judgments
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.runs import read_recorded
from pipeline.collection.topics import read_any_queries
from pipeline.collection.vectors import read_vectors
from pipeline.params import read_params
from pipeline.storage import read_json, read_lines
from pipeline.worksheets import read_worksheet
from tests.fuzz import twins

Read = Callable[[Path], object]
Twin = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Reader:
    """A reader under test.

    Args:
        name: the form, in a few words.
        file: name of the file; a folder before it is made.
        seed: a file that it reads.
        read: what it makes of the file: comparable, order aside.
        twin: the same, found in the plainest way; None where there is none.
    """

    name: str
    file: str
    seed: bytes
    read: Read
    twin: Twin | None = None


def _gathered(read: Callable[[Path, Problems], Any]) -> Read:
    def whole(path: Path) -> object:
        problems = Problems(path)
        found = read(path, problems)
        problems.raise_if_any()
        return found

    return whole


def _documents(path: Path, problems: Problems) -> object:
    rows = read_documents(path, problems).kept.values()
    return sorted(
        ((r["doc_id"], r["evidence_id"], r.get("title"), r.get("text")) for r in rows), key=repr
    )


def _queries(path: Path, problems: Problems) -> object:
    rows, inline = read_queries(path, problems)
    asked = [(row["query_id"], row.get("text")) for row in rows.kept.values()]
    graded = [(row["query_id"], row["evidence_id"], row["grade"]) for row in inline]
    return sorted(asked, key=repr), sorted(graded)


def _beir(path: Path, problems: Problems) -> object:
    rows = read_beir_documents(path, problems).kept.values()
    return sorted(((r["doc_id"], r.get("title"), r.get("text")) for r in rows), key=repr)


def _pairs(path: Path, problems: Problems) -> object:
    rows = read_judgments(path, problems).rows
    return sorted((row["query_id"], row["evidence_id"], row["grade"]) for row in rows)


def _opinions(path: Path, problems: Problems) -> object:
    return sorted(
        (
            (r["query_id"], r["evidence_id"], r["assessor"], r.get("grade", r["status"]))
            for r in read_judgments(path, problems).rows
        ),
        key=repr,
    )


def _trec_run(path: Path, problems: Problems) -> object:
    (run,) = read_recorded(path, problems).values()
    return sorted(run.results.select("query_id", "doc_id", "rank", "score").rows())


def _json_run(path: Path, problems: Problems) -> object:
    runs = read_recorded(path, problems)
    return sorted(
        (
            (name.removeprefix(path.stem).removeprefix("."), *row)
            for name, run in runs.items()
            for row in _results(run)
        ),
        key=repr,
    )


def _answer(path: Path, problems: Problems) -> object:
    (run,) = read_recorded(path.parent, problems).values()
    return [row[1:] for row in _results(run)]


def _results(run: RecordedRun) -> list[tuple[Any, ...]]:
    return run.results.select("query_id", "position", "doc_id", "score").rows()


def _topics(path: Path, problems: Problems) -> object:
    rows = read_any_queries(path, problems).kept.values()
    return sorted((row["query_id"], row["text"]) for row in rows)


def _vectors(path: Path, problems: Problems) -> object:
    ids = {"documents": ["a", "b"], "queries": ["q"]}
    np.save(path.parent / "v.queries.npy", np.ones((1, 3), dtype=np.float32))
    return [
        vectors.documents.rows() for vectors in read_vectors(path.parent, ids, problems).values()
    ]


def _native(path: Path) -> object:
    collection = read_collection(path.parent)
    return collection.documents.rows(), collection.queries.rows(), collection.notes


def lined(*rows: dict[str, Any]) -> bytes:
    """JSON Lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def _book() -> bytes:
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([["qid", "doc_id", "grade"], ["007", "é", 2], ["q", "b", 0]]):
            sheet.write_row(number, 0, row)
    return written.getvalue()


def _array() -> bytes:
    written = io.BytesIO()
    np.save(written, np.arange(6, dtype=np.float32).reshape(2, 3) + 1)
    return written.getvalue()


def _parquet() -> bytes:
    written = io.BytesIO()
    vectors = pl.Series("vector", [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], pl.List(pl.Float32()))
    pl.DataFrame([pl.Series("id", ["a", "b"]), vectors]).write_parquet(written)
    return written.getvalue()


ANSWER = {
    "took": 3,
    "timed_out": False,
    "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
    "hits": {"max_score": 2.5, "hits": [{"_index": "i", "_id": "007", "_score": 2.5}]},
}
RATED = [{"_index": "i", "_id": "007", "rating": 3}, {"_index": "i", "_id": "é", "rating": 0}]
DOCUMENTS = lined(
    {"doc_id": "007", "text": "a pump", "title": "T", "groups": ["g"], "valid_from": "2024-01-01"},
    {"doc_id": "7", "text": "line\u2028end", "evidence_id": "e", "links": [], "start": 0, "end": 9},
    {"doc_id": "é", "metadata": {"any": [1, None]}, "entities": ["x"], "locale": "de"},
)
QUERIES = lined(
    {"query_id": "q1", "text": "stuck?", "relevant": {"007": 2}, "slices": ["a"], "split": "dev"},
    {"query_id": "q2", "query": "oil", "weight": 0.5, "as_of": "2024-05-01T00:00:00Z"},
)
TOPICS = b"""<top><num> Number: 0301
<title> stuck valve
<desc> Description:
What makes it stick?
</top>
<topic number="12a"><query>gear &amp; oil</query></topic>
"""
PARAMS = b"study: s\ncollection: {path: data/c, scale: [0, 3]}\ncandidates: {b: {kind: bm25}}\n"
SHEET = (
    b"\xef\xbb\xbfquery_id,query,evidence_id,title,text,grade,status,note\n"
    b'q1,"a ""b""",007,T,"two\nlines",2,,\nq2,c,\'=7,T,t,,unknown,why\n'
)

READERS = (
    Reader(
        "native documents", "documents.jsonl", DOCUMENTS, _gathered(_documents), twins.documents
    ),
    Reader("native queries", "queries.jsonl", QUERIES, _gathered(_queries), twins.queries),
    Reader(
        "native judgments",
        "round.jsonl",
        lined(
            {"query_id": "q1", "evidence_id": "007", "grade": 2, "assessor": "ann", "note": "n"},
            {"query_id": "q1", "evidence_id": "7", "status": "unknown"},
        ),
        _gathered(_opinions),
        twins.judgments,
    ),
    Reader(
        "BEIR corpus",
        "corpus.jsonl",
        lined({"_id": "007", "title": "", "text": "one"}, {"_id": "7", "text": "two", "url": "u"}),
        _gathered(_beir),
        twins.beir_documents,
    ),
    Reader(
        "BEIR qrels",
        "test.tsv",
        b"query-id\tcorpus-id\tscore\n007\t0012\t1\n08\t12\t2\n",
        _gathered(_pairs),
        twins.beir_qrels,
    ),
    Reader(
        "TREC qrels",
        "qrels.txt",
        "# made\nq1 0 007 1\nq1 0 urn:é:7 -1\nq2\t0  b#1 3\n".encode(),
        _gathered(_pairs),
        twins.trec_qrels,
    ),
    Reader(
        "TREC run",
        "a.run",
        "q1 Q0 007 1 2.5 t\nq1 Q0 é 2 -1e-3 t\nq2 Q0 b#1 0 17 t\n".encode(),
        _gathered(_trec_run),
        twins.trec_run,
    ),
    Reader(
        "run in JSON Lines",
        "a.jsonl",
        lined(
            {"query_id": "q1", "results": [{"doc_id": "007", "score": 2.5}], "took_ms": 3},
            {"query_id": "q2", "channels": {"x": [{"doc_id": "b"}], "y": []}, "status": "partial"},
            {"query_id": "q3", "response": ANSWER},
        ),
        _gathered(_json_run),
        twins.json_run,
    ),
    Reader("answer", "es/q1.json", json.dumps(ANSWER).encode(), _gathered(_answer), twins.answer),
    Reader("TREC topics", "topics.txt", TOPICS, _gathered(_topics)),
    Reader(
        "table of queries",
        "topics.tsv",
        b'query_id\ttext\n-31\tpump "noise\nq7\t5\' 9"\n',
        _gathered(_topics),
        twins.topic_table,
    ),
    Reader("numbered queries", "web.txt", b"1:obama\n02:time: 10:30\n", _gathered(_topics)),
    Reader(
        "CSV of judgments",
        "judged.csv",
        b'\xef\xbb\xbfqid;doc_id;grade;rater\r\n007;"a;""b""";2,0;ann\r\nq2;c;-1;\r\n',
        _gathered(_opinions),
    ),
    Reader("spreadsheet", "judged.xlsx", _book(), _gathered(_opinions)),
    Reader(
        "ratings of _rank_eval",
        "ratings.json",
        json.dumps({"requests": [{"id": "q1", "ratings": RATED}]}).encode(),
        _gathered(_pairs),
        twins.rank_eval,
    ),
    Reader(
        "case of Quepid",
        "case.json",
        json.dumps({"queries": [{"query": "stuck", "ratings": {"007": 3, "b": None}}]}).encode(),
        _gathered(_pairs),
    ),
    Reader(
        "book of Quepid",
        "book.json",
        json.dumps(
            {"query_doc_pairs": [{"query_text": "s", "doc_id": "7", "judgements": [{"rating": 1}]}]}
        ).encode(),
        _gathered(_opinions),
    ),
    Reader("lines of ratings", "ltr.txt", b"3 qid:17 # a stuck\n0 qid:17 # b\n", _gathered(_pairs)),
    Reader("vectors", "v.documents.npy", _array(), _gathered(_vectors)),
    Reader("vectors in Parquet", "v.documents.parquet", _parquet(), _gathered(_vectors)),
    Reader("worksheet", "ann.csv", SHEET, read_worksheet),
    Reader(
        "worksheet in JSON Lines",
        "ann.jsonl",
        lined({"query_id": "q", "evidence_id": "e", "grade": 2}),
        read_worksheet,
    ),
    Reader("parameters", "params.yaml", PARAMS, read_params),
    Reader("record", "ledger.jsonl", lined({"test_set": "a", "opened_at": "b"}), read_lines),
    Reader("summary", "summary.json", b'{"a": [1, 2.5, null]}', read_json),
    Reader(
        "declaration",
        "import.json",
        b'{"declared": {"regime": "pooled", "scale": [0, 3], "rel": 1, "grades": {"-1": 0}}}',
        lambda path: declared_of(path.parent),
    ),
    Reader("whole collection", "documents.jsonl", DOCUMENTS, _native),
)
