"""Who may see what, and when: decided before or during retrieval, never after.

A document without tenant and groups is public. One with a tenant is for that tenant only; one
with groups for whoever is in any of them (and in its tenant, where it has both). A query
without a principal sees public documents only. Dates bind only queries that have an effective
date: `valid_from <= as_of < valid_to`, an open end where a date is absent. A document of kind
`canary` is for nobody.
"""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.tables import CANARY, MOMENT, TEXTS

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Principal:
    """On whose behalf a query runs, and for which moment.

    Args:
        tenant: the tenant, or None.
        groups: the groups, sorted.
        as_of: the effective date (UTC), or None for a query that does not ask for one.
    """

    tenant: str | None = None
    groups: tuple[str, ...] = ()
    as_of: datetime | None = None

    @property
    def filter(self) -> str | None:
        """The filter in words, for tables and logs; None where the query names nothing."""
        parts = [f"tenant={self.tenant}"] if self.tenant is not None else []
        parts += [f"groups={','.join(self.groups)}"] if self.groups else []
        parts += [f"as_of={self.as_of.isoformat()}"] if self.as_of is not None else []
        return " ".join(parts) or None


@dataclass(frozen=True, slots=True)
class Eligible:
    """Queries that see the same documents.

    Args:
        principal: what they have in common.
        query_ids: sorted.
        mask: one entry for each row of the documents, in their order.
    """

    principal: Principal
    query_ids: tuple[str, ...]
    mask: Mask


def principal_of(query: dict[str, object]) -> Principal:
    """The principal of one row of table QUERIES (`iter_rows(named=True)`)."""
    tenant, groups, as_of = query["tenant"], query["groups"], query["as_of"]
    return Principal(
        tenant=tenant if isinstance(tenant, str) else None,
        groups=tuple(sorted(set(groups))) if isinstance(groups, list) else (),
        as_of=as_of if isinstance(as_of, datetime) else None,
    )


def is_restricted(documents: pl.DataFrame) -> bool:
    """Whether any document has a tenant, groups or a date, or is a canary."""
    named = any(documents[field].null_count() < documents.height for field in _RESTRICTIONS)
    return named or bool((documents["kind"] == CANARY).any())


def eligible(documents: pl.DataFrame, principal: Principal) -> Mask:
    """Which documents a principal may see.

    Args:
        documents: table DOCUMENTS.
        principal: tenant, groups and effective date.

    Returns:
        One truth value for each row, in the order of the rows.
    """
    asked = documents.select(*_RESTRICTIONS, "kind").with_columns(
        asked_tenant=pl.lit(principal.tenant, pl.String()),
        asked_groups=pl.lit(list(principal.groups), TEXTS),
        as_of=pl.lit(principal.as_of, MOMENT),
    )
    seen: Mask = asked.select(seen=_SEEN)["seen"].to_numpy().astype(np.bool_)
    return seen


def eligibility_groups(documents: pl.DataFrame, queries: pl.DataFrame) -> list[Eligible]:
    """Queries put together by principal, so that each mask is made once.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.

    Returns:
        Each query in exactly one entry; entries in the order of their first query's id.
    """
    together: dict[Principal, list[str]] = {}
    fields = queries.select("query_id", "tenant", "groups", "as_of").sort("query_id")
    for query in fields.iter_rows(named=True):
        together.setdefault(principal_of(query), []).append(query["query_id"])
    return [
        Eligible(principal, tuple(query_ids), eligible(documents, principal))
        for principal, query_ids in together.items()
    ]


def visible_judgments(
    judgments: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame
) -> pl.DataFrame:
    """The judgments that each query's principal may know of at the query's date.

    Evidence is visible where any of its documents is eligible. Evidence of no document at all
    (judged in another version of the collection) stays: it counts in every ideal list.

    Args:
        judgments: any frame with query_id and evidence_id.
        documents: table DOCUMENTS.
        queries: table QUERIES; judgments of other queries are left out.

    Returns:
        The remaining rows in their order.
    """
    known = judgments.join(
        queries.select("query_id"), on="query_id", how="semi", maintain_order="left"
    )
    if not is_restricted(documents):
        return known
    asked = queries.select(
        "query_id", "as_of", asked_tenant="tenant", asked_groups=pl.col("groups").fill_null([])
    )
    pairs = known.select("query_id", "evidence_id").unique()
    carriers = pairs.join(documents.select("evidence_id", *_RESTRICTIONS, "kind"), on="evidence_id")
    seen = carriers.join(asked, on="query_id", validate="m:1").filter(_SEEN)
    orphans = pairs.join(documents.select("evidence_id"), on="evidence_id", how="anti")
    kept = pl.concat([seen.select("query_id", "evidence_id"), orphans])
    return known.join(kept, on=["query_id", "evidence_id"], how="semi", maintain_order="left")


_RESTRICTIONS = ("tenant", "groups", "valid_from", "valid_to")

_SAME_TENANT = pl.col("tenant").is_null() | pl.col("tenant").eq_missing(pl.col("asked_tenant"))
_SHARED_GROUP = pl.col("groups").is_null() | (
    pl.col("groups").list.set_intersection("asked_groups").list.len() > 0
)
_IN_FORCE = pl.col("as_of").is_null() | (
    (pl.col("valid_from") <= pl.col("as_of")).fill_null(True)
    & (pl.col("as_of") < pl.col("valid_to")).fill_null(True)
)

_NO_CANARY = pl.col("kind").ne_missing(pl.lit(CANARY))

# The whole rule, over a document's restrictions beside what a query asks with.
_SEEN = _SAME_TENANT & _SHARED_GROUP & _IN_FORCE & _NO_CANARY
