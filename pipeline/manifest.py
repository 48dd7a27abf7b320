"""What a version of a collection is: its counts, its content hashes, and what was noticed."""

from collections.abc import Iterable
from itertools import chain
from typing import Any

import polars as pl

from pipeline.collection import Collection
from pipeline.eligibility import is_restricted
from pipeline.identity import alike, digest, digest_json, same_text
from pipeline.params import CollectionParams

NAMED = 20  # offenders that are named; all are counted


def manifest_of(collection: Collection, params: CollectionParams) -> dict[str, Any]:
    """The manifest of a collection.

    Args:
        collection: as read.
        params: what is declared about it.

    Returns:
        JSON-able: counts, hashes (of parsed content, whatever the line ends and key order),
        declarations, which fields there are, and `noticed`: text twins, ids that differ only
        by what nobody sees, ids that dangle.
    """
    documents, queries, judgments = collection.documents, collection.queries, collection.judgments
    return {
        "counts": _counts(collection),
        "hashes": content_hashes(collection),
        "regime": params.regime,
        "scale": list(params.scale),
        "rel": params.rel,
        "assessors": params.assessors,
        "grades": _grades(judgments),
        "has_acl": _has(documents, "tenant", "groups"),
        "has_dates": _has(documents, "valid_from", "valid_to"),
        "restricted": is_restricted(documents),
        "has_text": _has(documents, "text", "title"),
        "has_query_text": _has(queries, "text"),
        "has_slices": _has(queries, "slices"),
        "has_official_split": _has(queries, "split"),
        "runs": sorted(collection.runs),
        "vectors": sorted(collection.vectors),
        "notes": dict(sorted(collection.notes.items())),
        "noticed": _noticed(collection),
    }


def content_hashes(collection: Collection) -> dict[str, Any]:
    """Hashes of the parsed content of each part, and of all of it (`collection`)."""
    parts: dict[str, Any] = {
        "documents": digest(collection.documents),
        "queries": digest(collection.queries),
        "judgments": digest(collection.judgments.drop("line")),
        "runs": {
            name: digest_json([digest(run.results), digest(run.queries)])
            for name, run in sorted(collection.runs.items())
        },
        "vectors": {
            name: digest_json([digest(made.documents), digest(made.queries)])
            for name, made in sorted(collection.vectors.items())
        },
    }
    return {**parts, "collection": digest_json(parts)}


def _counts(collection: Collection) -> dict[str, int]:
    documents, judgments = collection.documents, collection.judgments
    return {
        "documents": documents.height,
        "evidence": documents["evidence_id"].n_unique(),
        "sources": documents["source_id"].n_unique(),
        "queries": collection.queries.height,
        "judgments": judgments.height,
        "judged_queries": judgments["query_id"].n_unique(),
        "runs": len(collection.runs),
    }


def _grades(judgments: pl.DataFrame) -> dict[str, int]:
    counted = judgments.group_by("grade").len().sort("grade", nulls_last=True)
    return {"none" if grade is None else str(grade): count for grade, count in counted.rows()}


def _has(frame: pl.DataFrame, *names: str) -> bool:
    return any(frame[name].null_count() < frame.height for name in names)


def _noticed(collection: Collection) -> dict[str, Any]:
    documents, queries, judgments = collection.documents, collection.queries, collection.judgments
    evidence, known = documents["evidence_id"], documents["doc_id"]
    required = queries["required_evidence"].explode(empty_as_null=True).drop_nulls()
    return {
        "text_twins": _named(_text_twins(documents)),
        "ids_alike": _named(ids_alike(collection)),
        "judged_evidence_without_document": {
            "policy": "kept: it counts in every ideal list",
            **_named(_lacking(judgments["evidence_id"], evidence)),
        },
        "judged_queries_unknown": _named(_lacking(judgments["query_id"], queries["query_id"])),
        "superseded_by_unknown": _named(_lacking(documents["superseded_by"].drop_nulls(), known)),
        "required_evidence_unknown": _named(_lacking(required, evidence)),
    }


def _named(offenders: list[Any]) -> dict[str, Any]:
    return {"count": len(offenders), "first": offenders[:NAMED]}


def _lacking(named: pl.Series, known: pl.Series) -> list[str]:
    return sorted(set(named) - set(known))


def ids_alike(collection: Collection) -> list[list[str]]:
    """Ids of any part that differ from another only by what nobody sees; they never join."""
    documents, queries, judgments = collection.documents, collection.queries, collection.judgments
    asked = [run.queries["query_id"] for run in collection.runs.values()]
    items = {*documents["doc_id"], *documents["evidence_id"], *judgments["evidence_id"]}
    return [*alike(items), *alike({*chain(queries["query_id"], judgments["query_id"], *asked)})]


def _text_twins(documents: pl.DataFrame) -> list[list[str]]:
    """Documents of different evidence and the same text, in clusters."""
    clusters: dict[str, list[tuple[str, str]]] = {}
    for name, evidence, text in documents.select("doc_id", "evidence_id", "text").iter_rows():
        form = same_text(text) if text else ""
        if form:
            clusters.setdefault(form, []).append((name, evidence))
    return sorted(_ids(cluster) for cluster in clusters.values() if len(_evidence(cluster)) > 1)


def _ids(cluster: Iterable[tuple[str, str]]) -> list[str]:
    return sorted(name for name, _ in cluster)


def _evidence(cluster: Iterable[tuple[str, str]]) -> set[str]:
    return {evidence for _, evidence in cluster}
