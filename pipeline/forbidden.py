"""What a query's principal may not see at the query's date, told from the raw rows.

The rule of `pipeline.eligibility` again, row by row and not through the masks of retrieval: an
audit must not lean on what it audits. Documents decide, by `doc_id`; dates count like tenants.
"""

import polars as pl

from pipeline.tables import CANARY

ROW = ("system", "query_id", "doc_id")

NOT_KNOWN = "not in the collection"

_NOBODY: list[str] = []
_BEFORE = (pl.col("as_of") < pl.col("valid_from")).fill_null(False)
_AFTER = (pl.col("as_of") >= pl.col("valid_to")).fill_null(False)
_OTHER_TENANT = pl.col("tenant").is_not_null() & pl.col("tenant").ne_missing(pl.col("asks_tenant"))
_FOR_NOBODY = pl.col("kind").eq_missing(pl.lit(CANARY))
_NO_SHARED_GROUP = pl.col("groups").is_not_null() & (
    pl.col("groups").list.set_intersection("asks_groups").list.len() == 0
)

# Why a query may not see a document; null where it may.
_REASON = (
    pl.when(~pl.col("known"))
    .then(pl.lit(NOT_KNOWN))
    .when(_FOR_NOBODY)
    .then(pl.lit("a canary, for nobody to see"))
    .when(_OTHER_TENANT)
    .then(pl.lit("another tenant's"))
    .when(_NO_SHARED_GROUP)
    .then(pl.lit("for groups the principal is not in"))
    .when(_BEFORE)
    .then(pl.lit("not yet valid at the query's date"))
    .when(_AFTER)
    .then(pl.lit("no longer valid at the query's date"))
)


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
        "doc_id", "tenant", "groups", "valid_from", "valid_to", "kind", known=pl.lit(True)
    )
    asks = queries.select(
        "query_id",
        "as_of",
        asks_tenant="tenant",
        asks_groups=pl.col("groups").fill_null(_NOBODY),
    )
    pair = ["query_id", "doc_id"]
    # Many systems show the same pair; the document's and the query's columns are wide.
    reasons = (
        rows.select(pair)
        .unique()
        .join(restrictions, on="doc_id", how="left")
        .join(asks, on="query_id", how="left")
        .with_columns(pl.col("known").fill_null(False), pl.col("asks_groups").fill_null(_NOBODY))
        .select(*pair, _REASON.alias("reason"))
        .drop_nulls("reason")
    )
    return rows.select(ROW).join(reasons, on=pair).unique().sort(ROW)


def hidden_evidence(
    pairs: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame
) -> pl.DataFrame:
    """The pairs whose evidence has documents, none of which the query's principal may see.

    Args:
        pairs: query_id, evidence_id; evidence of no document at all is not hidden.
        documents: DOCUMENTS.
        queries: QUERIES.

    Returns:
        query_id, evidence_id, doc_id (the first of its documents), reason; key (query_id,
        evidence_id), sorted by it.
    """
    carriers = (
        pairs.select("query_id", "evidence_id")
        .unique()
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
        .select("query_id", "evidence_id", "doc_id", "reason")
    )
