"""Import of a data set that the package ir_datasets knows by id."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pipeline.collection import checks
from pipeline.collection.documents import with_identity
from pipeline.collection.import_runs import take_runs
from pipeline.collection.official import chosen_side, kept_notes, split_of_queries
from pipeline.collection.problems import Problems
from pipeline.collection.qrels import unite
from pipeline.collection.ratings import REPEATED
from pipeline.collection.rounds import judgment
from pipeline.collection.rows import Row, Rows
from pipeline.collection.sources import Found, Source, agreed
from pipeline.errors import MissingError, ParameterError

ONE = "qrels"  # the round of a data set that is taken whole


def find_ir_datasets(source: Source) -> Found:
    """Finds a data set by its id, such as `cranfield`; the package fetches what it lacks.

    With splits (`--split dev --split test`) queries and judgments are those of ID/dev and
    ID/test, documents those of ID, and each query keeps its split as its official side.
    """
    name = str(source.path)
    if source.path is None or source.documents or source.queries or source.judgments:
        raise ParameterError(
            "an id of ir_datasets has everything itself",
            where="--format ir_datasets",
            found="single files" if source.path else "no id",
            expected="an id, such as beir/scifact/test",
            next_command="rankgate import ID --format ir_datasets --name NAME",
        )
    problems, dropped = Problems(name), Counter[str]()
    sides = _sides(source)
    parts = {split: _load(f"{name}/{split}") for split in sides} or {ONE: _load(name)}
    corpus = _load(name) if sides else parts[ONE]
    with _told(name):
        documents = _documents(corpus, name, problems, dropped)
        queries, asked = Rows("query_id"), dict[str, set[str]]()
        for split, part in parts.items():
            asked[split] = _take_queries(part, name, queries, problems, dropped)
        rounds = {s: _judgments(part, name, s, problems, dropped) for s, part in parts.items()}
    split_of = split_of_queries(asked, name, problems) if sides else {}
    rows = [
        {**row, **({"split": sides[split_of[query]]} if query in split_of else {})}
        for query, row in queries.kept.items()
    ]
    judged = [row for one in rounds.values() for row in one]
    runs, taken = take_runs(source.runs, problems, source.trailing, dropped)
    collection = agreed(name, list(documents.kept.values()), rows, judged, runs, problems)
    return Found(
        list(documents.kept.values()),
        rows,
        {split: one for split, one in rounds.items() if one},
        collection,
        taken,
        dropped=+dropped,
        notes=[*kept_notes(sides), *_grades_described(parts.values())],
    )


def _sides(source: Source) -> dict[str, str]:
    """Split to side; empty where the data set is taken whole."""
    asked = [entry.partition("=") for entry in source.splits]
    return {name: chosen_side(name.rpartition("/")[2], side) for name, _, side in asked}


def _load(name: str) -> Any:
    try:
        package = import_module("ir_datasets")
    except ModuleNotFoundError as problem:
        raise MissingError(
            "the package ir_datasets is not installed",
            where="--format ir_datasets",
            expected="the package ir-datasets",
            next_command="pip install 'rankgate[ir-datasets]'",
        ) from problem
    try:
        return package.load(name)
    except KeyError as problem:
        raise MissingError(
            "ir_datasets knows no such data set",
            where=name,
            expected="an id of its catalogue, such as beir/scifact/test",
            next_command="ir_datasets list",
        ) from problem


@contextmanager
def _told(name: str) -> Iterator[None]:
    """What the package meets while it fetches and reads, in our words."""
    try:
        yield
    except (OSError, RuntimeError, AttributeError, NotImplementedError) as problem:
        raise MissingError(
            "ir_datasets could not give the data set",
            where=name,
            found=f"{type(problem).__name__}: {problem}".splitlines()[0],
            expected="documents, queries and judgments that it can fetch or finds in its cache",
            next_command=f"ir_datasets export {name} docs, to see what it says",
        ) from problem


def _documents(dataset: Any, name: str, problems: Problems, dropped: Counter[str]) -> Rows:
    rows = Rows("doc_id")
    for number, document in enumerate(dataset.docs_iter(), start=1):
        row = _fields(document, ("title", "text"), dropped)
        if "text" not in row:
            # Its own words for what is the text hold the title, too.
            row = {"text": document.default_text()}
        row = {field: value for field, value in row.items() if value}
        identified = _named(name, number, "doc_id", document.doc_id, row, problems)
        if identified is not None:
            rows.keep(name, number, with_identity(identified), problems)
    dropped["repeated documents"] += rows.repeated
    return rows


def _take_queries(
    dataset: Any, name: str, queries: Rows, problems: Problems, dropped: Counter[str]
) -> set[str]:
    """Adds a part's queries; returns their ids."""
    asked: set[str] = set()
    for number, query in enumerate(dataset.queries_iter(), start=1):
        _fields(query, ("text", "title", "query"), dropped)
        text = {"text": query.default_text()}
        row = _named(name, number, "query_id", query.query_id, text, problems)
        if row is not None:
            asked.add(row["query_id"])
            queries.keep(name, number, row, problems)
    return asked


def _fields(record: Any, kept: Iterable[str], dropped: Counter[str]) -> Row:
    """The fields that are kept; others are counted as left behind where they hold something."""
    names = getattr(record, "_fields", ())
    for field in names:
        if field not in kept and field not in ("doc_id", "query_id") and getattr(record, field):
            dropped[f"field {field!r}"] += 1
    return {field: getattr(record, field) for field in kept if field in names}


def _named(
    name: str, number: int, key: str, given: object, row: Row, problems: Problems
) -> Row | None:
    try:
        texts = {field: checks.a_text(value) for field, value in row.items()}
        return {key: checks.an_id(given), **texts}
    except ValueError as problem:
        problems.add(name, f"no {key} or text that can be kept", line=number, expected=problem)
        return None


def _judgments(
    dataset: Any, name: str, split: str, problems: Problems, dropped: Counter[str]
) -> list[Row]:
    if not dataset.has_qrels():
        return []
    rows: list[tuple[int, str, str, int]] = []
    for line, qrel in enumerate(dataset.qrels_iter(), start=1):
        try:
            grade = checks.integral(qrel.relevance)
        except ValueError as problem:
            problems.add(name, "no grade", line=line, found=qrel.relevance, expected=problem)
            continue
        rows.append((line, qrel.query_id, qrel.doc_id, grade))
    pairs = unite(rows, name, problems)
    dropped[REPEATED] += len(rows) - len(pairs)
    return [
        judgment(query, evidence, grade, round_name=split, line=line)
        for line, ((query, evidence), grade) in enumerate(pairs.items(), start=1)
    ]


def _grades_described(parts: Iterable[Any]) -> list[str]:
    """What the package says its grades mean, once."""
    said = [part.qrels_defs() for part in parts if part.has_qrels() and hasattr(part, "qrels_defs")]
    known = {grade: str(words) for one in said if one for grade, words in one.items()}
    if not known:
        return []
    words = "; ".join(f"{grade}: {known[grade]}" for grade in sorted(known))
    return [f"grades, as ir_datasets describes them: {words}"]
