"""Import of a data set that the package ir_datasets knows by id."""

from importlib import import_module
from typing import Any

from pipeline.collection.documents import with_identity
from pipeline.collection.problems import Problems
from pipeline.collection.qrels import unite
from pipeline.collection.rounds import judgment
from pipeline.collection.rows import Row
from pipeline.collection.runs import read_run_files
from pipeline.collection.sources import Found, Source, agreed, counted
from pipeline.errors import MissingError


def find_ir_datasets(source: Source) -> Found:
    """Finds a data set by its id, such as `cranfield`; the package fetches what it lacks."""
    source.refuse_splits("ir_datasets")
    name = str(source.path)
    problems = Problems(name)
    dataset = _load(name)
    documents = [_document(document) for document in dataset.docs_iter()]
    queries = [
        {"query_id": query.query_id, "text": query.default_text()}
        for query in dataset.queries_iter()
    ]
    judgments = _judgments(dataset, name, problems) if dataset.has_qrels() else []
    runs = read_run_files(source.runs, problems)
    collection = agreed(name, documents, queries, judgments, runs, problems)
    return Found(
        documents,
        queries,
        {"qrels": judgments} if judgments else {},
        {file.name: file for file in source.runs},
        counts=counted(collection),
    )


def _load(name: str) -> Any:
    try:
        package = import_module("ir_datasets")
    except ModuleNotFoundError as problem:
        raise MissingError(
            "the package ir_datasets is not installed",
            where="--format ir_datasets",
            next_command="pip install ir-datasets",
        ) from problem
    try:
        return package.load(name)
    except KeyError as problem:
        raise MissingError("ir_datasets knows no such data set", where=name) from problem


def _document(document: Any) -> Row:
    title = getattr(document, "title", None)
    text = getattr(document, "text", None) or document.default_text()
    row = {"doc_id": document.doc_id, "title": title, "text": text}
    return with_identity({field: value for field, value in row.items() if value})


def _judgments(dataset: Any, name: str, problems: Problems) -> list[Row]:
    rows = [
        (line, qrel.query_id, qrel.doc_id, int(qrel.relevance))
        for line, qrel in enumerate(dataset.qrels_iter(), start=1)
    ]
    return [
        judgment(query, evidence, grade, round_name="qrels", line=line)
        for line, ((query, evidence), grade) in enumerate(
            unite(rows, name, problems).items(), start=1
        )
    ]
