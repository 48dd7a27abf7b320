"""Forbidden evidence, searched for in every stored list, row by row.

The rule is applied to the rows as they are stored and not through the masks of retrieval: an
audit must not lean on what it audits. Documents decide, by `doc_id`, and members that are
collapsed into an evidence count like the one that represents it.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.eligibility import is_restricted
from pipeline.fusion import LEVELS
from pipeline.params import Params

# How many forbidden rows are listed; all of them are counted.
LISTED = 100

_ROW = ("system", "query_id", "doc_id")

_NOBODY: list[str] = []
_BEFORE = (pl.col("as_of") < pl.col("valid_from")).fill_null(False)
_AFTER = (pl.col("as_of") >= pl.col("valid_to")).fill_null(False)
_OTHER_TENANT = pl.col("tenant").is_not_null() & pl.col("tenant").ne_missing(pl.col("asks_tenant"))
_NO_SHARED_GROUP = pl.col("groups").is_not_null() & (
    pl.col("groups").list.set_intersection("asks_groups").list.len() == 0
)

# Why a query may not see a document; null where it may.
_REASON = (
    pl.when(~pl.col("known"))
    .then(pl.lit("not in the collection"))
    .when(_OTHER_TENANT)
    .then(pl.lit("another tenant's"))
    .when(_NO_SHARED_GROUP)
    .then(pl.lit("for groups the principal is not in"))
    .when(_BEFORE)
    .then(pl.lit("not yet valid at the query's date"))
    .when(_AFTER)
    .then(pl.lit("no longer valid at the query's date"))
)


def audit(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    candidates: pl.DataFrame,
    pool: pl.DataFrame,
    runs: pl.DataFrame,
    contexts: pl.DataFrame,
    params: Params,
) -> dict[str, Any]:
    """Counts and lists what its query's principal may not see at the query's date.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        candidates: CANDIDATES, as every branch returned them.
        pool: POOL; evidence counts where it has documents and none of them may be seen.
        runs: RUNS; the members behind an item are those of the branches' own lists.
        contexts: CONTEXTS, with their members likewise.
        params: the fusion level and branches.

    Returns:
        `applies` (whether any document is restricted), `checked` (list to `rows` and
        `forbidden`), `forbidden` (in all lists), `where` (the first 100, sorted by list,
        system, query and document: `list, system, query_id, doc_id, reason`).
    """
    if not is_restricted(documents):
        return {"applies": False, "checked": {}, "forbidden": 0, "where": []}
    lists = {
        "candidates": candidates.select(pl.col("branch").alias("system"), "query_id", "doc_id"),
        "contexts": _with_members(_of_selected(contexts), documents, candidates, params),
        "runs": _with_members(runs, documents, candidates, params),
    }
    found = {name: forbidden(rows, documents, queries) for name, rows in lists.items()}
    found["pool"] = _pooled(pool, documents, queries)
    rows = {name: frame.height for name, frame in {**lists, "pool": pool}.items()}
    return {
        "applies": True,
        "checked": {
            name: {"rows": rows[name], "forbidden": found[name].height} for name in sorted(found)
        },
        "forbidden": sum(frame.height for frame in found.values()),
        "where": _first(found),
    }


def forbidden(rows: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """The rows whose document the query's principal may not see, with the reason.

    Args:
        rows: system, query_id, doc_id.
        documents: DOCUMENTS; a document that is not among them cannot be shown to be allowed.
        queries: QUERIES; a query that is not among them is asked by nobody.

    Returns:
        system, query_id, doc_id, reason; each distinct row once, sorted.
    """
    restrictions = documents.select(
        "doc_id", "tenant", "groups", "valid_from", "valid_to", known=pl.lit(True)
    )
    asks = queries.select(
        "query_id",
        "as_of",
        asks_tenant="tenant",
        asks_groups=pl.col("groups").fill_null(_NOBODY),
    )
    return (
        rows.select(_ROW)
        .unique()
        .join(restrictions, on="doc_id", how="left")
        .join(asks, on="query_id", how="left")
        .with_columns(pl.col("known").fill_null(False), pl.col("asks_groups").fill_null(_NOBODY))
        .select(*_ROW, _REASON.alias("reason"))
        .drop_nulls("reason")
        .sort(_ROW)
    )


def _of_selected(contexts: pl.DataFrame) -> pl.DataFrame:
    return contexts.select(pl.lit("selected").alias("system"), "query_id", "doc_id")


def _with_members(
    lists: pl.DataFrame, documents: pl.DataFrame, candidates: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """Each listed item's document, and every document of its unit in the branches' lists.

    A branch by itself holds its own members only; everything else may hold any branch's.
    """
    unit = LEVELS[params.fusion.level]
    units = documents.select("doc_id", pl.col(unit).alias("unit"))
    listed = lists.select(_ROW)
    raw = candidates.select(
        "branch", "query_id", pl.col("doc_id").alias("member"), pl.col(unit).alias("unit")
    )
    members = (
        listed.join(units, on="doc_id")
        .join(raw, on=["query_id", "unit"])
        .filter(
            ~pl.col("system").is_in(list(params.candidates))
            | (pl.col("system") == pl.col("branch"))
        )
        .select("system", "query_id", pl.col("member").alias("doc_id"))
    )
    return pl.concat([listed, members]).unique().sort(_ROW)


def _pooled(pool: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """Pooled evidence that no worksheet may show: it has documents, and all are forbidden."""
    carriers = (
        pool.select("query_id", "evidence_id")
        .join(documents.select("doc_id", "evidence_id"), on="evidence_id")
        .with_columns(pl.lit("").alias("system"))
    )
    refused = forbidden(carriers, documents, queries)
    allowed = carriers.join(refused, on=["query_id", "doc_id"], how="anti")
    hidden = carriers.join(allowed, on=["query_id", "evidence_id"], how="anti")
    return (
        hidden.join(refused.select("query_id", "doc_id", "reason"), on=["query_id", "doc_id"])
        .sort("query_id", "evidence_id", "doc_id")
        .unique(["query_id", "evidence_id"], keep="first", maintain_order=True)
        .select(*_ROW, "reason")
    )


def _first(found: Mapping[str, pl.DataFrame]) -> list[dict[str, Any]]:
    def rows() -> Iterator[dict[str, Any]]:
        for name in sorted(found):
            for row in found[name].sort(_ROW).head(LISTED).iter_rows(named=True):
                yield {"list": name, **row}

    return list(rows())[:LISTED]
