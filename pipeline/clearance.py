"""What operations cleared to be shown: the lists it audited, without what is forbidden in them.

The report and the tracking show no document that operations has not looked at, and none that it
found forbidden: the ids of those stand in `data/operations/forbidden.parquet` alone.
"""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.errors import ContractError

WITHHELD = "withheld"

AGAIN = "dvc repro operations"

_SHOWN = ("system", "query_id", "rank", "doc_id", "evidence_id")


def audited_as(runs: pl.DataFrame) -> str:
    """SHA-256 of what lists show: system, query, rank, document, evidence, in the table's order.

    Args:
        runs: RUNS, sorted as stored.
    """
    return hashlib.sha256(runs.select(_SHOWN).write_csv(line_terminator="\n").encode()).hexdigest()


def cleared(
    runs: pl.DataFrame, authorization: Mapping[str, Any], forbidden: pl.DataFrame
) -> pl.DataFrame:
    """The lists as they may be shown.

    Args:
        runs: RUNS.
        authorization: authorization.json.
        forbidden: FORBIDDEN, complete.

    Returns:
        The rows in their order; where a row's document is forbidden to its query, in whatever
        list it was found, document and evidence read `withheld`.

    Raises:
        ContractError: these are not the lists that operations audited, or what is forbidden in
            them is not listed whole.
    """
    if not authorization["applies"]:
        return runs
    if authorization.get("audited") != audited_as(runs):
        raise ContractError(
            "lists that operations did not clear",
            where="evaluation/runs",
            found="other documents than those that were audited",
            expected="the lists of data/operations/authorization.json",
            next_command=AGAIN,
        )
    _refuse_incomplete(authorization, forbidden)
    pairs = forbidden.select("query_id", "doc_id").unique().with_columns(refused=pl.lit(True))
    marked = runs.join(pairs, on=["query_id", "doc_id"], how="left", maintain_order="left")
    hidden = pl.col("refused").is_not_null()
    return marked.with_columns(
        pl.when(hidden).then(pl.lit(WITHHELD)).otherwise(pl.col(name)).alias(name)
        for name in ("doc_id", "evidence_id")
    ).drop("refused")


def cleared_pairs(
    pairs: pl.DataFrame, forbidden: pl.DataFrame, documents: pl.DataFrame
) -> pl.DataFrame:
    """Pairs as they may be shown: without evidence of which a document is forbidden to the query.

    Args:
        pairs: query_id, evidence_id and more.
        forbidden: FORBIDDEN.
        documents: DOCUMENTS.

    Returns:
        The rows that are left, in their order.
    """
    carried = forbidden.select("query_id", "doc_id").join(
        documents.select("doc_id", "evidence_id"), on="doc_id"
    )
    refused = carried.select("query_id", "evidence_id").unique()
    return pairs.join(refused, on=["query_id", "evidence_id"], how="anti", maintain_order="left")


def refuse_uncleared(content: object, forbidden: pl.DataFrame, *, where: str) -> None:
    """Refuses content that names a document beside a query that may not see it.

    Args:
        content: what is to be told, as JSON holds it: mappings and lists.
        forbidden: FORBIDDEN.
        where: what it is, for the message.

    Raises:
        ContractError: a mapping somewhere in it has a `query_id` and a `doc_id` that are
            forbidden together.
    """
    refused = set(forbidden.select("query_id", "doc_id").iter_rows())
    for pair in _pairs(content):
        if pair in refused:
            raise ContractError(
                "a document that operations did not clear",
                where=where,
                found=f"query {pair[0]}, and a document it may not see",
                expected="cleared documents only",
                next_command="data/operations/forbidden.parquet lists the rows",
            )


def _refuse_incomplete(authorization: Mapping[str, Any], forbidden: pl.DataFrame) -> None:
    if authorization["forbidden"] != forbidden.height:
        raise ContractError(
            "the list of forbidden rows is not whole",
            where="operations/forbidden",
            found=f"{forbidden.height} rows",
            expected=f"{authorization['forbidden']}, as authorization.json counts",
            next_command=AGAIN,
        )


def _pairs(content: object) -> Iterator[tuple[str, str]]:
    if isinstance(content, Mapping):
        if "query_id" in content and "doc_id" in content:
            yield str(content["query_id"]), str(content["doc_id"])
        for inner in content.values():
            yield from _pairs(inner)
    elif isinstance(content, list | tuple):
        for inner in content:
            yield from _pairs(inner)
