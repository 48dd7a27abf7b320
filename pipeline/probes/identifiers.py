"""Rare identifiers: a query's exact code that stands in one document alone, its own page."""

import re
from collections.abc import Mapping

import polars as pl

from pipeline.analyzer import identifiers
from pipeline.tables import DOCUMENTS

# How often the identifier is said again.
TIMES = 3


def own_pages(documents: pl.DataFrame, queries: pl.DataFrame) -> dict[str, tuple[str, str]]:
    """The query's own page, and the identifier that makes it so.

    Args:
        documents: DOCUMENTS, sorted by doc_id.
        queries: rows of QUERIES with text.

    Returns:
        Query to (doc_id, identifier as the page spells it); queries that name no identifier, or
        none that exactly one document has, are left out.
    """
    named = {
        query: list(dict.fromkeys(identifiers(text)))
        for query, text in queries.select("query_id", "text").iter_rows()
    }
    holders = _holders(documents, {code for codes in named.values() for code in codes})
    found = {}
    for query, codes in named.items():
        rare = next((code for code in codes if len(holders.get(code, {})) == 1), None)
        if rare is not None:
            ((page, spelled),) = holders[rare].items()
            found[query] = (page, spelled)
    return found


def repeating(documents: pl.DataFrame, named: Mapping[str, tuple[str, str]]) -> pl.DataFrame:
    """The pages with their identifiers said again; DOCUMENTS."""
    said: dict[str, list[str]] = {}
    for page, code in sorted(set(named.values())):
        said.setdefault(page, []).append(code)
    added = pl.DataFrame(
        {
            "doc_id": list(said),
            "more": [
                " ".join(code for code in codes for _ in range(TIMES)) for codes in said.values()
            ],
        },
        schema={"doc_id": pl.String, "more": pl.String},
    )
    pages = documents.join(added, on="doc_id", how="inner")
    longer = pl.concat_str("text", "more", separator="\n", ignore_nulls=True)
    return DOCUMENTS.check(pages.with_columns(longer.alias("text")).drop("more"))


def _holders(documents: pl.DataFrame, codes: set[str]) -> dict[str, dict[str, str]]:
    """Code to the documents that have it as a word of their own, as each spells it."""
    if not codes:
        return {}
    texts = documents.select(
        "doc_id", text=pl.concat_str("title", "text", separator="\n", ignore_nulls=True)
    )
    # A cheap look first: only the documents that hold the letters are taken apart.
    near = texts.filter(pl.col("text").str.contains_any(sorted(codes), ascii_case_insensitive=True))
    holders: dict[str, dict[str, str]] = {}
    for doc_id, text in near.iter_rows():
        for code in codes & set(identifiers(text)):
            spelled = re.search(re.escape(code), text, re.IGNORECASE)
            holders.setdefault(code, {})[doc_id] = spelled[0] if spelled else code
    return holders
