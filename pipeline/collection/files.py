"""A collection from single files: runs and judgments, queries and documents where there are any."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.collection.beir import read_beir_documents
from pipeline.collection.collection import Collection
from pipeline.collection.consistency import check_agreement, map_grades
from pipeline.collection.documents import read_documents, with_identity
from pipeline.collection.jsonl import json_lines
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.problems import Problems
from pipeline.collection.qrels import read_rows, unite
from pipeline.collection.recorded import RecordedRun
from pipeline.collection.rounds import judgment, read_round
from pipeline.collection.rows import Row, Rows, table_of
from pipeline.collection.runs import read_recorded
from pipeline.collection.topics import read_any_queries
from pipeline.errors import ParameterError, first_three
from pipeline.params import CollectionParams
from pipeline.tables import DOCUMENTS, JUDGMENTS, QUERIES


def collection_from_files(
    *,
    runs: Mapping[str, Path],
    judgments: Path | None = None,
    queries: Path | None = None,
    documents: Path | None = None,
    params: CollectionParams | None = None,
    trailing: str = "reject",
) -> Collection:
    """A collection of single files, for a study without a study folder.

    Args:
        runs: name to file, TREC or JSON Lines.
        judgments: TREC qrels, BEIR's TSV or JSON Lines.
        queries: TREC topics, id and text parted by a tab, or JSON Lines. Without it the queries
            are the judged ones, or, without judgments, those that the runs answer.
        documents: native or BEIR JSON Lines. Without it the documents are the ids that runs
            and judgments name.
        params: the declared grade scale and the map of foreign grades.
        trailing: words after the last column of TREC files: `reject` or `ignore`.

    Returns:
        The collection; `notes` counts what was derived or is not known.

    Raises:
        MissingError: a file is not there.
        CollectionError: every problem, with file and line.
        ParameterError: nothing to read.
    """
    if not runs and documents is None:
        raise ParameterError("neither runs nor documents", expected="at least one run file")
    where = "the given files"
    problems = Problems(where)
    recorded = {name: _run(name, Path(file), problems, trailing) for name, file in runs.items()}
    judged = read_judgments(Path(judgments), problems, trailing) if judgments else []
    if params is not None:
        judged = map_grades(judged, params, lambda _: judgments, problems)
    given_queries = read_any_queries(Path(queries), problems) if queries else None
    given_documents = read_any_documents(Path(documents), problems) if documents else None
    problems.raise_if_any()
    collection = Collection(
        table_of(DOCUMENTS, _documents(given_documents, judged, recorded)),
        table_of(QUERIES, _queries(given_queries, judged, recorded)),
        table_of(JUDGMENTS, judged),
        recorded,
    )
    dangling = check_agreement(collection, where, problems)
    if not documents:
        _refuse_strangers(collection, where, problems)
    problems.raise_if_any()
    return collection.noting(
        derived_documents=0 if documents else collection.documents.height,
        derived_queries=0 if queries else collection.queries.height,
        **dangling,
    )


def read_any_documents(path: Path, problems: Problems) -> Rows:
    """Documents in native or BEIR form, told apart by `_id` on the first line."""
    if not is_json_lines(path):
        problems.add(path, "not documents", expected="JSON Lines (.jsonl or .jsonl.gz)")
        return Rows("doc_id")
    first = next(json_lines(path, Problems(path)), (0, {}))[1]
    return (read_beir_documents if "_id" in first else read_documents)(path, problems)


def read_judgments(path: Path, problems: Problems, trailing: str = "reject") -> list[Row]:
    """Judgments of any form as rows of table JUDGMENTS."""
    if is_json_lines(path):
        return read_round(path, problems)[0]
    rows = read_rows(path, problems, trailing=trailing)
    lines = {(query, evidence): line for line, query, evidence, _ in reversed(rows)}
    return [
        judgment(query, evidence, grade, round_name=stem(path), line=lines[query, evidence])
        for (query, evidence), grade in unite(rows, path, problems).items()
    ]


def derived_documents(
    judged: Iterable[Row], runs: Mapping[str, RecordedRun], known: Iterable[str] = ()
) -> list[Row]:
    """Documents that are nothing but the ids which runs and judgments name."""
    named = {row["evidence_id"] for row in judged}
    for run in runs.values():
        named.update(run.results["doc_id"].unique())
    return [with_identity({"doc_id": name}) for name in sorted(named.difference(known))]


def derived_queries(judged: Iterable[Row], runs: Mapping[str, RecordedRun]) -> list[Row]:
    """Queries that are nothing but ids: the judged ones, else those that the runs answer."""
    named = {row["query_id"] for row in judged} or {
        query for run in runs.values() for query in run.queries["query_id"]
    }
    return [{"query_id": name} for name in sorted(named)]


def _refuse_strangers(collection: Collection, where: str, problems: Problems) -> None:
    """Runs and judgments that share no query, or no document, are of different collections."""
    columns = {"query_id": ("query_id", "queries"), "evidence_id": ("doc_id", "documents")}
    for key, (column, words) in columns.items():
        judged = set(collection.judgments[key])
        listed = {name for run in collection.runs.values() for name in run.results[column]}
        if judged and listed and not judged & listed:
            problems.add(
                where,
                f"the runs and the judgments have no {words} in common",
                found=f"{first_three(sorted(listed))} and {first_three(sorted(judged))}",
                expected="runs and judgments of one collection",
            )


def _run(name: str, path: Path, problems: Problems, trailing: str) -> RecordedRun:
    recorded = read_recorded(path, problems, trailing=trailing)
    if len(recorded) > 1:
        problems.add(path, "several channels in one file", found=sorted(recorded), expected="one")
    return next(iter(recorded.values()))


def _documents(given: Rows | None, judged: list[Row], runs: Mapping[str, RecordedRun]) -> list[Row]:
    return list(given.kept.values()) if given is not None else derived_documents(judged, runs)


def _queries(given: Rows | None, judged: list[Row], runs: Mapping[str, RecordedRun]) -> list[Row]:
    return list(given.kept.values()) if given is not None else derived_queries(judged, runs)
