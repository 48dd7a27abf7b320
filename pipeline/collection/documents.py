"""documents.jsonl: one retrievable passage on each line."""

from pathlib import Path

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row, Rows

DOCUMENT = Fields(
    {
        "doc_id": checks.an_id,
        "evidence_id": checks.an_id,
        "source_id": checks.an_id,
        "title": checks.a_text,
        "text": checks.a_text,
        "start": checks.offset,
        "end": checks.offset,
        "tenant": checks.an_id,
        "groups": checks.some_ids,
        "valid_from": checks.moment,
        "valid_to": checks.moment,
        "superseded_by": checks.an_id,
        "locale": checks.a_text,
        "links": checks.objects(to=checks.an_id, kind=checks.an_id),
        "entities": checks.labels,
        "kind": checks.kind,
    },
    required=("doc_id",),
)


def read_documents(path: Path, problems: Problems) -> Rows:
    """Reads documents.jsonl; evidence_id defaults to doc_id, source_id to evidence_id."""
    read = Rows("doc_id")
    before = len(problems)
    for number, given in json_lines(path, problems):
        row = DOCUMENT.read(path, number, given, problems)
        if row is not None:
            _refuse_backwards(path, number, row, problems, "start", "end", "end from start on")
            _refuse_backwards(path, number, row, problems, "valid_from", "valid_to", "later end")
            read.keep(path, number, with_identity(row), problems)
    if not read.kept and len(problems) == before:
        problems.add(path, "no documents", found="an empty corpus", expected="at least one line")
    return read


def with_identity(row: Row) -> Row:
    """The row with its defaults: evidence is the document, source is the evidence."""
    row.setdefault("evidence_id", row["doc_id"])
    row.setdefault("source_id", row["evidence_id"])
    return row


def _refuse_backwards(
    path: Path, line: int, row: Row, problems: Problems, begin: str, end: str, expected: str
) -> None:
    first, last = row.get(begin), row.get(end)
    if first is not None and last is not None and last < first:
        problems.add(
            path,
            f"{end!r} lies before {begin!r}",
            line=line,
            found=f"document {row['doc_id']}: {first} to {last}",
            expected=expected,
        )
