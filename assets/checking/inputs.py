"""Problems of the collection, and of what the parameters want of it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from assets.checking.findings import Finding, problem
from assets.folder import StudyFolder
from assets.records import LEDGER, SIDES, TIMES, lost_records
from pipeline.collection import Collection, read_collection
from pipeline.collection.hints import hints
from pipeline.derived_slices import DERIVED
from pipeline.errors import MissingError, ParameterError, RankgateError, first_three
from pipeline.forbidden import hidden_evidence
from pipeline.ledger import Opening, parse_ledger
from pipeline.manifest import ids_alike
from pipeline.params import Bm25Branch, DenseBranch, Params, RecordedBranch
from pipeline.splits import Splits, split_queries
from pipeline.splits import compute as split
from pipeline.splits.sides import sides_of
from pipeline.storage import read_lines
from pipeline.times import parse_times


@dataclass(slots=True)
class Inputs:
    """What could be read; None where a problem stands in the way.

    Args:
        collection: the collection.
        splits: its queries on sides; new ones as `rankgate assign` would put them. None too
            where a record was lost: other sides, or no opening, would answer another question.
        ledger: the openings so far.
    """

    collection: Collection | None = None
    splits: Splits | None = None
    ledger: tuple[Opening, ...] = ()


def read_inputs(folder: StudyFolder, params: Params) -> tuple[Inputs, list[Finding]]:
    """Reads collection and records, and gathers everything that is wrong with them."""
    inputs, findings = Inputs(), list[Finding]()
    try:
        path = folder.root / params.collection.path
        inputs.collection = read_collection(path, params=params.collection)
        findings += _wanted(inputs.collection, params)
    except RankgateError as error:
        findings += problem(error)
    findings += _records(inputs, folder)
    if inputs.collection is not None and lost_records(folder) is None:
        findings += _sides(inputs, inputs.collection, folder, params)
    return inputs, findings


def hint_findings(params: Params, inputs: Inputs) -> Iterator[Finding]:
    """What the judgments suggest of themselves, where the declaration says otherwise."""
    if inputs.collection is not None:
        for hint in hints(inputs.collection.judgments, params.collection):
            yield Finding("warning", hint)


def alike_findings(inputs: Inputs) -> Iterator[Finding]:
    """Ids that look the same and are not: what belongs together then stays apart."""
    pairs = [] if inputs.collection is None else ids_alike(inputs.collection)
    if pairs:
        shown = first_three([" = ".join(map(ascii, pair)) for pair in pairs])
        yield Finding(
            "warning",
            f"{len(pairs)} ids differ from another only by blanks or Unicode normal form: {shown}",
        )


def _records(inputs: Inputs, folder: StudyFolder) -> Iterator[Finding]:
    try:
        inputs.ledger = tuple(parse_ledger(_lines(folder, LEDGER), where=folder.root / LEDGER))
    except RankgateError as error:
        yield from problem(error)
    try:
        parse_times(_lines(folder, TIMES), where=folder.root / TIMES)
    except RankgateError as error:
        yield from problem(error)


def _lines(folder: StudyFolder, record: object) -> list[dict[str, object]]:
    path = folder.root / str(record)
    return read_lines(path) if path.exists() else []


def _sides(
    inputs: Inputs, collection: Collection, folder: StudyFolder, params: Params
) -> Iterator[Finding]:
    parts = collection.queries, collection.judgments, collection.documents
    try:
        recorded = sides_of(_lines(folder, SIDES), where=folder.root / SIDES)
        new = split_queries(*parts, params, recorded=recorded)
        inputs.splits = split(
            queries=parts[0],
            judgments=parts[1],
            documents=parts[2],
            sides=[*recorded, *new],
            params=params,
        )
    except RankgateError as error:
        yield from problem(error)
        return
    if new:
        yield Finding(
            "problem",
            f"{folder.root / SIDES}: {len(new)} queries without a side. Next: rankgate assign",
        )


def _wanted(collection: Collection, params: Params) -> Iterator[Finding]:
    """What branches, slices and pinned queries name, and the collection lacks."""
    for name, branch in params.candidates.items():
        where = f"candidates.{name}"
        if isinstance(branch, RecordedBranch) and branch.run not in collection.runs:
            yield from _missing(f"{where}.run", branch.run, collection.runs, "runs")
        if isinstance(branch, DenseBranch) and branch.vectors is not None:
            if branch.vectors not in collection.vectors:
                yield from _missing(
                    f"{where}.vectors", branch.vectors, collection.vectors, "vectors"
                )
        elif isinstance(branch, Bm25Branch | DenseBranch) and _textless(collection):
            yield from problem(
                ParameterError(
                    "the collection has no text to search",
                    where=where,
                    found=f"kind {branch.kind}",
                    expected="text in documents and queries, or kind recorded",
                )
            )
    yield from _named(collection, params)


def _textless(collection: Collection) -> bool:
    documents, queries = collection.documents, collection.queries
    bare = documents["text"].null_count() + documents["title"].null_count()
    return bare == 2 * documents.height or queries["text"].null_count() == queries.height


def _missing(where: str, found: str, known: Iterable[str], folder: str) -> Iterator[Finding]:
    error = MissingError(
        f"not among the collection's {folder}",
        where=where,
        found=found,
        expected=", ".join(sorted(known)) or f"a file under {folder}/; there is none",
    )
    yield from problem(error)


def _named(collection: Collection, params: Params) -> Iterator[Finding]:
    slices = set(collection.queries["slices"].explode().drop_nulls())
    derived = set(DERIVED) if params.evaluation.slices.derived else set()
    for name in sorted(set(params.decision.slices) - slices - derived):
        text = f"decision.slices.{name}: no query is in this slice"
        yield Finding("problem", f"{text}; known {', '.join(sorted(slices)) or 'none'}")
    queries, evidence = (
        set(collection.queries["query_id"]),
        set(collection.documents["evidence_id"]),
    )
    for place, pinned in enumerate(params.decision.pinned):
        for key, name, known in (
            ("query", pinned.query, queries),
            ("evidence", pinned.evidence, evidence),
        ):
            if name not in known:
                text = f"decision.pinned.{place}.{key}: not in the collection; found {name}"
                yield Finding("problem", text)
        if _is_hidden(collection, pinned.query, pinned.evidence):
            text = f"decision.pinned.{place}: query {pinned.query} may not see this evidence"
            yield Finding("problem", text)


def _is_hidden(collection: Collection, query: str, evidence: str) -> bool:
    """Whether the gate could pass only by a leak."""
    pair = pl.DataFrame({"query_id": [query], "evidence_id": [evidence]})
    return not hidden_evidence(pair, collection.documents, collection.queries).is_empty()
