"""Documents that must not be seen: by nobody, or by nobody but one principal at one date.

A canary holds the very words of a query: without a filter it would rank among the first.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import polars as pl

from pipeline.eligibility import Principal, principal_of
from pipeline.tables import CANARY, DOCUMENTS

# A date that only the query's own date lies in.
_MOMENT = timedelta(microseconds=1)


def canary_documents(documents: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """For each query one canary for nobody, and one for its own principal where that binds.

    Args:
        documents: DOCUMENTS; no canary takes an id of theirs.
        queries: rows of QUERIES with text.

    Returns:
        DOCUMENTS.
    """
    rows = list(_canaries(free_prefix(documents, "canary"), queries))
    return DOCUMENTS.check(pl.DataFrame(rows, schema=dict(DOCUMENTS.columns)))


def free_prefix(documents: pl.DataFrame, word: str) -> str:
    """A beginning that no document's id has."""
    prefix = f"{word}~"
    while documents["doc_id"].str.starts_with(prefix).any():
        prefix += "~"
    return prefix


def _canaries(prefix: str, queries: pl.DataFrame) -> Iterator[Mapping[str, Any]]:
    for query in queries.iter_rows(named=True):
        yield _document(f"{prefix}nobody~{query['query_id']}", query) | {"kind": CANARY}
        principal = principal_of(query)
        if principal != Principal():
            bound = _document(f"{prefix}own~{query['query_id']}", query)
            yield bound | _restrictions(principal)


def _document(doc_id: str, query: Mapping[str, Any]) -> dict[str, Any]:
    empty: dict[str, Any] = dict.fromkeys(DOCUMENTS.columns)
    named = {"doc_id": doc_id, "evidence_id": doc_id, "source_id": doc_id}
    return {**empty, **named, "text": query["text"]}


def _restrictions(principal: Principal) -> dict[str, Any]:
    dated = principal.as_of is not None
    return {
        "tenant": principal.tenant,
        "groups": list(principal.groups) or None,
        "valid_from": principal.as_of,
        "valid_to": principal.as_of + _MOMENT if dated and principal.as_of else None,
    }
