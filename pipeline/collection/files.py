"""A collection from single files: runs and judgments, queries and documents where there are any."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.collection.beir import read_beir_documents
from pipeline.collection.collection import Collection
from pipeline.collection.consistency import check_agreement, map_grades
from pipeline.collection.documents import read_documents, with_identity
from pipeline.collection.foreign import read_foreign
from pipeline.collection.jsonl import json_lines
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.problems import Problems
from pipeline.collection.qrels import read_rows, unite
from pipeline.collection.ratings import REPEATED, Rated, RatingForm, Tell
from pipeline.collection.rounds import judgment, read_round
from pipeline.collection.rows import Row, Rows, table_of
from pipeline.collection.runs import read_recorded
from pipeline.collection.topics import read_any_queries
from pipeline.errors import ParameterError, first_three
from pipeline.params import CollectionParams
from pipeline.recorded import RecordedRun
from pipeline.tables import DOCUMENTS, JUDGMENTS, QUERIES


def collection_from_files(
    *,
    runs: Mapping[str, Path],
    judgments: Path | None = None,
    queries: Path | None = None,
    documents: Path | None = None,
    params: CollectionParams | None = None,
    trailing: str = "reject",
    form: RatingForm | None = None,
    tell: Tell | None = None,
) -> Collection:
    """A collection of single files, for a study without a study folder.

    Args:
        runs: name to file, TREC or JSON Lines, or a folder of answers.
        judgments: TREC qrels, BEIR's TSV, JSON Lines, CSV, a spreadsheet, or ratings in JSON.
        queries: TREC topics, id and text parted by a tab, or JSON Lines. Without it the queries
            are the judged ones, or, without judgments, those that the runs answer.
        documents: native or BEIR JSON Lines. Without it the documents are the ids that runs
            and judgments name.
        params: the declared grade scale and the map of foreign grades.
        trailing: words after the last column of TREC files: `reject` or `ignore`.
        form: columns, labels and sheet of a table of judgments.
        tell: takes what was left behind of the judgments, and mappings that match nothing.

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
    given_queries = read_any_queries(Path(queries), problems) if queries else None
    known = known_queries(given_queries, recorded)
    read = (
        read_judgments(Path(judgments), problems, trailing, form=form, queries=known)
        if judgments
        else Rated()
    )
    if tell is not None:
        for said in read.told():
            tell(said)
    judged = read.rows
    if params is not None:
        judged = map_grades(judged, params, lambda _: judgments, problems)
    given_documents = read_any_documents(Path(documents), problems) if documents else None
    problems.raise_if_any()
    collection = Collection(
        table_of(DOCUMENTS, _documents(given_documents, judged, recorded)),
        table_of(QUERIES, _queries(given_queries, read, recorded)),
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
        repeated_judgments=read.dropped[REPEATED],
        **dangling,
    )


def read_any_documents(path: Path, problems: Problems) -> Rows:
    """Documents in native or BEIR form, told apart by `_id` on the first line."""
    if not is_json_lines(path):
        problems.add(path, "not documents", expected="JSON Lines (.jsonl or .jsonl.gz)")
        return Rows("doc_id")
    first = next(json_lines(path, Problems(path)), (0, {}))[1]
    return (read_beir_documents if "_id" in first else read_documents)(path, problems)


def read_judgments(
    path: Path,
    problems: Problems,
    trailing: str = "reject",
    *,
    form: RatingForm | None = None,
    queries: Mapping[str, str | None] | None = None,
) -> Rated:
    """Judgments of any form as rows of table JUDGMENTS, and what was left behind.

    Args:
        path: TREC qrels, BEIR's TSV, JSON Lines, or a file that `read_foreign` knows.
        problems: takes what cannot be read.
        trailing: words after a TREC line's fourth column: `reject` or `ignore`.
        form: columns, labels and sheet of a table.
        queries: query id to text, for files that name queries by their text.
    """
    foreign = read_foreign(path, problems, form=form, queries=queries)
    if foreign is not None:
        return foreign
    if is_json_lines(path):
        said, repeated = read_round(path, problems)
        return Rated(said, dropped=+Counter({REPEATED: repeated}))
    rows = read_rows(path, problems, trailing=trailing)
    lines = {(query, evidence): line for line, query, evidence, _ in reversed(rows)}
    judged = [
        judgment(query, evidence, grade, round_name=stem(path), line=lines[query, evidence])
        for (query, evidence), grade in unite(rows, path, problems).items()
    ]
    return Rated(judged, dropped=+Counter({REPEATED: len(rows) - len(judged)}))


def known_queries(
    given: Rows | None, runs: Mapping[str, RecordedRun]
) -> dict[str, str | None] | None:
    """Query id to text, or to None where only the runs name it; None where nothing names any."""
    if given is not None:
        return {query: row.get("text") for query, row in given.kept.items()}
    answered = {query for run in runs.values() for query in run.queries["query_id"]}
    return dict.fromkeys(sorted(answered)) if answered else None


def derived_documents(
    judged: Iterable[Row], runs: Mapping[str, RecordedRun], known: Iterable[str] = ()
) -> list[Row]:
    """Documents that are nothing but the ids which runs and judgments name."""
    named = {row["evidence_id"] for row in judged}
    for run in runs.values():
        named.update(run.results["doc_id"].unique())
    return [with_identity({"doc_id": name}) for name in sorted(named.difference(known))]


def derived_queries(judged: Rated, runs: Mapping[str, RecordedRun]) -> list[Row]:
    """Queries that are ids (and texts, where judgments hold them): judged, else answered."""
    named = {row["query_id"] for row in judged.rows} or {
        query for run in runs.values() for query in run.queries["query_id"]
    }
    texts = judged.texts
    return [
        {"query_id": name, **({"text": texts[name]} if name in texts else {})}
        for name in sorted(named)
    ]


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


def _queries(given: Rows | None, judged: Rated, runs: Mapping[str, RecordedRun]) -> list[Row]:
    return list(given.kept.values()) if given is not None else derived_queries(judged, runs)
