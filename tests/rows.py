"""Small tables written row by row: what is not given is null."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.params import Params, to_params
from pipeline.tables import CANDIDATES, DOCUMENTS, JUDGMENTS, QUERIES, SPLITS, Table


def table(of: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A checked table from rows with some of its columns."""
    full = [{name: row.get(name) for name in of.columns} for row in rows]
    return of.check(pl.DataFrame(full, schema=dict(of.columns)))


def documents(texts: Mapping[str, str | None], **more: Mapping[str, Any]) -> pl.DataFrame:
    """Documents by id and text; further columns as `tenant={"d1": "acme"}`."""
    rows = [
        {"doc_id": doc_id, "evidence_id": doc_id, "source_id": doc_id, "text": text}
        | {name: values[doc_id] for name, values in more.items() if doc_id in values}
        for doc_id, text in texts.items()
    ]
    return table(DOCUMENTS, rows)


def queries(texts: Mapping[str, str | None], **more: Mapping[str, Any]) -> pl.DataFrame:
    """Queries by id and text; further columns as for documents."""
    rows = [
        {"query_id": query_id, "text": text}
        | {name: values[query_id] for name, values in more.items() if query_id in values}
        for query_id, text in texts.items()
    ]
    return table(QUERIES, rows)


def judgments(grades: Mapping[tuple[str, str], int | str], assessor: str = "") -> pl.DataFrame:
    """Judgments of one assessor in one round: a grade, or the status unknown or abstained."""
    rows = [
        {
            "query_id": query_id,
            "evidence_id": evidence_id,
            "grade": grade if isinstance(grade, int) else None,
            "status": "judged" if isinstance(grade, int) else grade,
            "assessor": assessor,
            "round": "one",
            "line": line,
        }
        for line, ((query_id, evidence_id), grade) in enumerate(grades.items(), start=1)
    ]
    return table(JUDGMENTS, rows)


def candidates(lists: Mapping[tuple[str, str], list[str]]) -> pl.DataFrame:
    """Candidates by (branch, query): documents in order, scores falling from 1."""
    rows = [
        {
            "branch": branch,
            "query_id": query_id,
            "rank": rank,
            "doc_id": doc_id,
            "evidence_id": doc_id,
            "source_id": doc_id,
            "score": 1 / rank,
        }
        for (branch, query_id), found in lists.items()
        for rank, doc_id in enumerate(found, start=1)
    ]
    return table(CANDIDATES, rows)


def splits(sides: Mapping[str, str]) -> pl.DataFrame:
    """Every query in a group of its own, on the given side."""
    return table(
        SPLITS,
        [{"query_id": q, "group_id": q, "split": side} for q, side in sides.items()],
    )


def params(branches: Mapping[str, Mapping[str, Any]], **sections: Any) -> Params:
    """Parameters of a study with these branches."""
    return to_params(
        {"study": "small", "collection": {"path": "."}, "candidates": dict(branches)} | sections
    )
