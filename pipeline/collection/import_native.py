"""Import of the native form: files are checked and taken as they are."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from pipeline.collection.consistency import check_agreement
from pipeline.collection.declared import DECLARED
from pipeline.collection.documents import read_documents
from pipeline.collection.files import read_judgments
from pipeline.collection.import_runs import take_runs
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.native import data_files, read_collection
from pipeline.collection.problems import Problems
from pipeline.collection.queries import read_queries
from pipeline.collection.rows import Row
from pipeline.collection.sources import Found, Source, agreed


def find_native(source: Source) -> Found:
    """Finds a native collection: a folder as it is, or single files."""
    source.refuse_splits("jsonl")
    singles = source.documents or source.queries or source.judgments
    folder = source.folder
    return _files(source) if folder is None or singles else _folder(folder, source)


def _folder(folder: Path, source: Source) -> Found:
    collection = read_collection(folder)
    problems = Problems(folder)
    dropped: Counter[str] = Counter()
    files = [*data_files(folder / "runs"), *source.runs]
    runs, taken = take_runs(files, problems, source.trailing, dropped)
    problems.raise_if_any()
    collection = replace(collection, runs=runs)
    dangling = check_agreement(collection, folder, problems)
    problems.raise_if_any()
    documents = source.needed(None, "documents.jsonl", "documents.jsonl.gz")
    queries = source.needed(None, "queries.jsonl", "queries.jsonl.gz")
    rounds = {stem(file): file for file in data_files(folder / "judgments")}
    vectors = list(data_files(folder / "vectors"))
    return Found(
        documents,
        queries,
        rounds,
        collection.noting(**dangling),
        taken,
        vectors,
        dropped,
        read=[documents, queries, *rounds.values(), *files, *vectors, folder / DECLARED],
    )


def _files(source: Source) -> Found:
    problems = Problems(source.path or "the given files")
    documents_file = source.needed(source.documents, "documents.jsonl", "documents.jsonl.gz")
    queries_file = source.needed(source.queries, "queries.jsonl", "queries.jsonl.gz")
    documents = read_documents(documents_file, problems)
    queries, judgments = read_queries(queries_file, problems)
    dropped, notes = Counter[str](), list[str]()
    texts = {query: row.get("text") for query, row in queries.kept.items()}
    rounds = _rounds(source, texts, problems, dropped, notes)
    judgments += [row for rows, _ in rounds.values() for row in rows]
    folder = source.folder
    files = [*(data_files(folder / "runs") if folder else ()), *source.runs]
    runs, taken = take_runs(files, problems, source.trailing, dropped)
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
        {name: rows if file is None else file for name, (rows, file) in rounds.items()},
        collection,
        taken,
        dropped=dropped,
        notes=notes,
        read=[documents_file, queries_file, source.judgments, *files],
    )


def _rounds(
    source: Source,
    texts: dict[str, str | None],
    problems: Problems,
    dropped: Counter[str],
    notes: list[str],
) -> dict[str, tuple[list[Row], Path | None]]:
    """The round of a single file: its rows, and the file itself where it is native."""
    file = source.judgments
    if file is None:
        return {}
    judged = read_judgments(file, problems, source.trailing, form=source.form, queries=texts)
    if is_json_lines(file):
        return {stem(file): (judged.rows, file)}
    dropped.update(judged.dropped)
    notes += judged.notes
    return {stem(file): (judged.rows, None)}
