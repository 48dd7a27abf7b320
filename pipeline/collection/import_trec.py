"""Import of TREC's files: runs, qrels, topics; documents where there are any, else their ids."""

from pathlib import Path

from pipeline.collection.files import (
    derived_documents,
    derived_queries,
    read_any_documents,
    read_judgments,
)
from pipeline.collection.lines import stem
from pipeline.collection.native import data_files
from pipeline.collection.problems import Problems
from pipeline.collection.runs import read_run_files
from pipeline.collection.sources import Found, Source, agreed, counted
from pipeline.collection.topics import read_any_queries
from pipeline.errors import InputError

QUERIES = ("queries.tsv", "topics.tsv", "topics.txt", "topics.xml", "queries.jsonl")
DOCUMENTS = ("documents.jsonl", "documents.jsonl.gz", "corpus.jsonl", "corpus.jsonl.gz")


def find_trec(source: Source) -> Found:
    """Finds runs/, qrels*, a file of queries and one of documents, in a folder or as given."""
    source.refuse_splits("trec")
    where = source.path or "the given files"
    problems = Problems(where)
    files = _runs(source)
    runs = read_run_files(files, problems)
    judgments_file = source.judgments or _qrels(source.folder)
    judgments = read_judgments(judgments_file, problems) if judgments_file else []
    documents_file = source.file(source.documents, *DOCUMENTS)
    queries_file = source.file(source.queries, *QUERIES)
    documents = (
        list(read_any_documents(documents_file, problems).kept.values())
        if documents_file
        else derived_documents(judgments, runs)
    )
    queries = (
        list(read_any_queries(queries_file, problems).kept.values())
        if queries_file
        else derived_queries(judgments, runs)
    )
    collection = agreed(where, documents, queries, judgments, runs, problems)
    return Found(
        documents,
        queries,
        {stem(judgments_file): judgments} if judgments_file else {},
        {file.name: file for file in files},
        counts=counted(collection),
        notes=_notes(documents_file, queries_file),
    )


def _runs(source: Source) -> list[Path]:
    folder = source.folder
    return [*(data_files(folder / "runs") if folder else ()), *source.runs]


def _qrels(folder: Path | None) -> Path | None:
    found = [file for file in sorted(folder.glob("*qrels*")) if file.is_file()] if folder else []
    if len(found) > 1:
        raise InputError(
            "several files of judgments",
            where=folder,
            found=", ".join(file.name for file in found),
            expected="one",
            next_command="choose one with --judgments",
        )
    return found[0] if found else None


def _notes(documents: Path | None, queries: Path | None) -> list[str]:
    notes = []
    if documents is None:
        notes.append("documents are ids only, from runs and judgments: nothing can read text")
    if queries is None:
        notes.append("queries are ids only: those judged, else those that the runs answer")
    return notes
