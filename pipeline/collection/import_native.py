"""Import of the native form: files are checked and taken as they are."""

from pathlib import Path

from pipeline.collection.documents import read_documents
from pipeline.collection.lines import stem
from pipeline.collection.native import data_files, read_collection
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.rounds import read_round
from pipeline.collection.runs import read_run_files
from pipeline.collection.sources import Found, Source, agreed, counted


def find_native(source: Source) -> Found:
    """Finds a native collection: a folder as it is, or single files."""
    source.refuse_splits("jsonl")
    singles = source.documents or source.queries or source.judgments
    folder = source.folder
    return _files(source) if folder is None or singles else _folder(folder, source)


def _folder(folder: Path, source: Source) -> Found:
    collection = read_collection(folder)
    files = [*data_files(folder / "runs"), *source.runs]
    return Found(
        source.needed(None, "documents.jsonl", "documents.jsonl.gz"),
        source.needed(None, "queries.jsonl", "queries.jsonl.gz"),
        {stem(file): file for file in data_files(folder / "judgments")},
        {file.name: file for file in files},
        list(data_files(folder / "vectors")),
        counted(collection),
    )


def _files(source: Source) -> Found:
    problems = Problems(source.path or "the given files")
    documents_file = source.needed(source.documents, "documents.jsonl", "documents.jsonl.gz")
    queries_file = source.needed(source.queries, "queries.jsonl", "queries.jsonl.gz")
    documents = read_documents(documents_file, problems)
    queries, judgments = read_queries(queries_file, problems)
    rounds = [source.judgments] if source.judgments else []
    for file in rounds:
        judgments += read_round(file, problems)[0]
    runs = read_run_files(source.runs, problems)
    collection = agreed(
        source.path,
        list(documents.kept.values()),
        list(queries.kept.values()),
        judgments,
        runs,
        problems,
    )
    return Found(
        documents_file,
        queries_file,
        {stem(file): file for file in rounds},
        {file.name: file for file in source.runs},
        counts=counted(collection),
    )
