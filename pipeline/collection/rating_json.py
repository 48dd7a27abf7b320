"""Ratings in JSON: requests of `_rank_eval`, and what Quepid exports of a case or a book."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_document, kind_of
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Opinion, Rating
from pipeline.errors import InputError

NO_GRADE = "entries without a grade"


def json_ratings(path: Path, problems: Problems, dropped: Counter[str]) -> list[Rating]:
    """Reads ratings from a JSON file, in the form its fields tell.

    Args:
        path: the body of a `_rank_eval` request (`requests`), or an export of Quepid: a case's
            ratings or the case (`queries`), for RRE (`queries` with `relevant_documents`), or a
            book (`query_doc_pairs`).
        problems: takes entries that cannot be read.
        dropped: counts entries without a grade.

    Raises:
        MissingError: the file is not there.
        InputError: no JSON, or none of these forms.
    """
    given = json_document(path)
    fields = given if isinstance(given, dict) else {}
    forms = [name for name in FORMS if isinstance(fields.get(name), list)]
    if len(forms) != 1:
        raise InputError(
            "no form of ratings that is known",
            where=path,
            found=", ".join(sorted(given)[:5]) if isinstance(given, dict) else kind_of(given),
            expected=f"an object with one list of these: {', '.join(FORMS)}",
            next_command="export ratings as CSV with the columns query_id, evidence_id, grade",
        )
    ratings: list[Rating] = []
    for number, entry in enumerate(given[forms[0]], start=1):
        where = f"{path}: {forms[0]} {number}"
        if isinstance(entry, dict):
            ratings += FORMS[forms[0]](where, number, entry, problems, dropped)
        else:
            problems.add(where, "not an object", found=kind_of(entry), expected="{...}")
    return ratings


_REQUEST = Fields({"id": checks.an_id, "ratings": checks.dictionaries}, required=("id", "ratings"))
_RATED = Fields(
    {"_id": checks.an_id, "_index": checks.an_id, "rating": checks.whole},
    required=("_id", "rating"),
)
_QUERY = Fields(
    {
        "query": checks.a_text,
        "query_text": checks.a_text,
        "ratings": checks.an_object,
        "placeholders": checks.an_object,
        "relevant_documents": checks.an_object,
    },
    required=(),
)
_PAIR = Fields(
    {"query_text": checks.a_text, "doc_id": checks.an_id, "judgements": checks.dictionaries},
    required=("query_text", "doc_id"),
)
_JUDGEMENT = Fields(
    {
        "rating": checks.integral,
        "unrateable": checks.flag,
        "judge_later": checks.flag,
        "user_email": checks.a_text,
        "explanation": checks.a_text,
    },
    required=(),
)


def _rank_eval(
    where: str, number: int, entry: dict[str, Any], problems: Problems, dropped: Counter[str]
) -> Iterator[Rating]:
    request = _REQUEST.read(where, None, _REQUEST.known(entry, None), problems)
    indices: dict[str, str] = {}
    for given in (request or {}).get("ratings", []):
        row = _RATED.read(where, None, _RATED.known(given, None), problems)
        if row is None:
            continue
        index = row.get("_index", "")
        if indices.setdefault(row["_id"], index) != index:
            problems.add(
                where,
                "one _id in two indices",
                found=f"{row['_id']} in {indices[row['_id']]} and {index}",
                expected="ids that name one document",
            )
        yield Rating(number, row["_id"], row["rating"], request["id"] if request else None)


def _quepid_query(
    where: str, number: int, entry: dict[str, Any], problems: Problems, dropped: Counter[str]
) -> Iterator[Rating]:
    query = _QUERY.read(where, None, _QUERY.known(entry, None), problems)
    if query is None:
        return
    text = query.get("query") or query.get("query_text")
    text = text or query.get("placeholders", {}).get("$query")
    if not isinstance(text, str) or not text.strip():
        problems.add(where, "a query without a text", expected="query, query_text or $query")
        return
    if "relevant_documents" in query:
        graded = _by_grade(where, query["relevant_documents"], problems)
    else:
        graded = iter(query.get("ratings", {}).items())
    some = False
    for evidence, grade in graded:
        some = True
        if grade is None:
            dropped[NO_GRADE] += 1
            continue
        try:
            yield Rating(number, checks.an_id(evidence), checks.integral(grade), None, text)
        except ValueError as problem:
            problems.add(where, "not a rating", found=kind_of(grade), expected=problem)
    if not some:
        dropped["queries without a rating"] += 1


def _by_grade(
    where: str, relevant: Mapping[str, Any], problems: Problems
) -> Iterator[tuple[Any, Any]]:
    """RRE: grade to documents, or document to {gain}."""
    for name, value in relevant.items():
        if isinstance(value, dict):
            yield name, value.get("gain")
        elif isinstance(value, list):
            try:
                grade = int(name)
            except ValueError:
                problems.add(where, "not a grade", found=name[:40], expected="a whole number")
                continue
            for document in value:
                yield document, grade
        else:
            problems.add(where, "not a list of documents", found=kind_of(value), expected="[...]")


def _book_pair(
    where: str, number: int, entry: dict[str, Any], problems: Problems, dropped: Counter[str]
) -> Iterator[Rating]:
    pair = _PAIR.read(where, None, _PAIR.known(entry, None), problems)
    for given in (pair or {}).get("judgements", []):
        row = _JUDGEMENT.read(where, None, _JUDGEMENT.known(given, None), problems)
        if row is None or pair is None:
            continue
        opinion: Opinion | None = "unknown" if row.get("unrateable") else row.get("rating")
        if opinion is None:
            dropped[NO_GRADE] += 1
            continue
        who, note = row.get("user_email", ""), row.get("explanation", "")
        yield Rating(number, pair["doc_id"], opinion, None, pair["query_text"], who, note)


Form = Callable[[str, int, dict[str, Any], Problems, "Counter[str]"], Iterator[Rating]]
FORMS: Mapping[str, Form] = {
    "requests": _rank_eval,
    "queries": _quepid_query,
    "query_doc_pairs": _book_pair,
}
