"""Import of TREC's files: runs, qrels, topics; documents where there are any, else their ids."""

from collections import Counter
from pathlib import Path

from pipeline.collection.files import (
    derived_documents,
    derived_queries,
    known_queries,
    read_any_documents,
    read_judgments,
)
from pipeline.collection.import_runs import take_runs
from pipeline.collection.lines import stem
from pipeline.collection.native import data_files
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Rated
from pipeline.collection.sources import Found, Source, agreed
from pipeline.collection.topics import read_any_queries
from pipeline.errors import InputError

QUERIES = ("queries.tsv", "topics.tsv", "topics.txt", "topics.xml", "queries.jsonl")
DOCUMENTS = ("documents.jsonl", "documents.jsonl.gz", "corpus.jsonl", "corpus.jsonl.gz")


def find_trec(source: Source) -> Found:
    """Finds runs/, qrels*, a file of queries and one of documents, in a folder or as given."""
    source.refuse_splits("trec")
    where = source.path or "the given files"
    problems = Problems(where)
    dropped: Counter[str] = Counter()
    files = _runs(source)
    runs, taken = take_runs(files, problems, source.trailing, dropped)
    documents_file = source.file(source.documents, *DOCUMENTS)
    queries_file = source.file(source.queries, *QUERIES)
    judgments_file = source.judgments or _qrels(source.folder)
    given = read_any_queries(queries_file, problems) if queries_file else None
    known = known_queries(given, runs)
    judged = (
        read_judgments(judgments_file, problems, source.trailing, form=source.form, queries=known)
        if judgments_file
        else Rated()
    )
    documents = (
        list(read_any_documents(documents_file, problems).kept.values())
        if documents_file
        else derived_documents(judged.rows, runs)
    )
    queries = list(given.kept.values()) if given else derived_queries(judged, runs)
    collection = agreed(where, documents, queries, judged.rows, runs, problems)
    return Found(
        documents,
        queries,
        {stem(judgments_file): judged.rows} if judgments_file else {},
        collection,
        taken,
        dropped=+(dropped + judged.dropped),
        notes=[*_notes(documents_file, queries_file, judgments_file), *judged.notes],
        read=[documents_file, queries_file, judgments_file, *files],
    )


def _runs(source: Source) -> list[Path]:
    folder = source.folder
    return [*(data_files(folder / "runs") if folder else ()), *source.runs]


def _qrels(folder: Path | None) -> Path | None:
    """The one file of judgments: its name says qrels, or it lies in a folder qrels/."""
    named = [*sorted(folder.glob("*qrels*")), *data_files(folder / "qrels")] if folder else []
    found = [file for file in named if file.is_file()]
    if len(found) > 1:
        raise InputError(
            "several files of judgments",
            where=folder,
            found=", ".join(file.name for file in found),
            expected="one",
            next_command="choose one with --judgments; a BEIR folder is --format beir",
        )
    return found[0] if found else None


def _notes(documents: Path | None, queries: Path | None, judgments: Path | None) -> list[str]:
    notes = []
    if judgments is None:
        notes.append("no judgments: no file whose name says qrels, no --judgments")
    if documents is None:
        notes.append("documents are ids only, from runs and judgments: nothing can read text")
    if queries is None:
        notes.append("queries are ids only: those judged, else those that the runs answer")
    return notes
