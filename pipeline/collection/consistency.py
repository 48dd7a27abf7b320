"""What the parts of a collection must agree on, and what is only worth a count."""

from collections.abc import Callable, Iterable
from typing import Any

import polars as pl

from pipeline.collection.collection import Collection
from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row
from pipeline.errors import first_three
from pipeline.params import CollectionParams
from pipeline.recorded import RecordedRun

Place = Callable[[str], Any]  # round name to its file


def map_grades(
    rows: Iterable[Row], params: CollectionParams, place: Place, problems: Problems
) -> list[Row]:
    """Judgments with their grades on the declared scale; a grade off it is a problem."""
    low, high = params.scale
    mapped = []
    for row in rows:
        grade = row.get("grade")
        if grade is not None:
            grade = params.grades.get(grade, grade)
            if not low <= grade <= high:
                problems.add(
                    place(row["round"]),
                    "a grade off the declared scale",
                    line=row["line"],
                    found=row["grade"],
                    expected=f"{low} to {high}",
                    next_command=(
                        "declare collection.scale or map it in collection.grades"
                        " (rankgate init --scale, --grade)"
                    ),
                )
        mapped.append({**row, "grade": grade})
    return mapped


def check_agreement(collection: Collection, where: object, problems: Problems) -> dict[str, int]:
    """Refuses parts that belong to different collections; counts what dangles.

    Returns:
        Counts: judged evidence and judged queries that the collection lacks, and queries that
        runs answer and the collection lacks.
    """
    documents, queries, judgments = collection.documents, collection.queries, collection.judgments
    evidence = _lacking(judgments, documents, "evidence_id")
    judged = _lacking(judgments, queries, "query_id")
    said = "the judgments"
    _refuse_strangers(where, "evidence_id", said, judgments, evidence, "the corpus", problems)
    _refuse_strangers(where, "query_id", said, judgments, judged, "the queries", problems)
    answered: set[str] = set()
    for name, run in collection.runs.items():
        _refuse_unknown_documents(where, name, run, documents, problems)
        unknown = _lacking(run.queries, queries, "query_id")
        _refuse_strangers(
            where, "query_id", f"run {name}", run.queries, unknown, "the queries", problems
        )
        answered.update(unknown)
    return {
        "judged_evidence_without_document": len(evidence),
        "judged_queries_unknown": len(judged),
        "run_queries_unknown": len(answered),
    }


def _lacking(named: pl.DataFrame, known: pl.DataFrame, key: str) -> list[str]:
    return named.select(key).unique().join(known, on=key, how="anti")[key].sort().to_list()


def _refuse_strangers(
    where: object,
    key: str,
    whose: str,
    rows: pl.DataFrame,
    lacking: list[str],
    known: str,
    problems: Problems,
) -> None:
    named = rows[key].n_unique()
    if named and len(lacking) == named:
        problems.add(
            where,
            f"no {key} of {whose} is in {known}",
            found=f"0 of {named} join, for instance {first_three(lacking)}",
            expected=f"{whose} of this collection",
        )


def _refuse_unknown_documents(
    where: object, name: str, run: RecordedRun, documents: pl.DataFrame, problems: Problems
) -> None:
    lacking = _lacking(run.results, documents, "doc_id")
    if lacking:
        problems.add(
            where,
            f"run {name} holds documents that are not in the corpus",
            found=f"{len(lacking)}: {first_three(lacking)}",
            expected="ids of documents.jsonl",
        )
