"""Which queries are asked again, how, and which documents are planted for it."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.eligibility import Principal, principal_of
from pipeline.probes.canaries import canary_documents
from pipeline.probes.identifiers import own_pages, repeating
from pipeline.probes.noise import noise_documents

# On behalf of how many other principals a query's words are asked.
OTHERS = 4


@dataclass(frozen=True, slots=True)
class Plan:
    """What the probes ask and plant; the same wherever it is made.

    Args:
        queries: rows of QUERIES: those asked again, sorted by query_id.
        others: query to the queries on whose principals' behalf its words are asked, too.
        canaries: rows of DOCUMENTS: for each query one for nobody and, where its principal or
            date binds, one for that principal at that date alone; both hold its words.
        noise: rows of DOCUMENTS: words drawn at random, public, few beside the collection.
        pages: query that names an identifier of one document alone, to that document.
        repeated: rows of DOCUMENTS: those documents with the identifier repeated.
    """

    queries: pl.DataFrame
    others: Mapping[str, tuple[str, ...]]
    canaries: pl.DataFrame
    noise: pl.DataFrame
    pages: Mapping[str, str]
    repeated: pl.DataFrame


def plan_probes(documents: pl.DataFrame, queries: pl.DataFrame, count: int, seed: int) -> Plan:
    """The plan for a number of queries, spread evenly over those with words.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        count: how many queries are asked again; all where there are fewer.
        seed: the study's.
    """
    worded = queries.filter(pl.col("text").is_not_null()).sort("query_id")
    sample = worded.gather_every(max(1, worded.height // max(1, count))).head(count)
    held = documents.sort("doc_id")
    named = own_pages(held, sample)
    return Plan(
        queries=sample,
        others=_others(sample),
        canaries=canary_documents(held, sample),
        noise=noise_documents(held, sample.height, seed),
        pages={query: page for query, (page, _) in named.items()},
        repeated=repeating(held, named),
    )


def _others(sample: pl.DataFrame) -> dict[str, tuple[str, ...]]:
    """For each query the next principals after its own, in the order of their first queries."""
    first: dict[Principal, str] = {}
    asked_by: dict[str, Principal] = {}
    for query in sample.iter_rows(named=True):
        asked_by[query["query_id"]] = principal_of(query)
        first.setdefault(asked_by[query["query_id"]], query["query_id"])
    principals = list(first)
    places = {principal: place for place, principal in enumerate(principals)}
    return {
        query: tuple(
            first[principals[(places[principal] + step) % len(principals)]]
            for step in range(1, min(OTHERS, len(principals) - 1) + 1)
        )
        for query, principal in asked_by.items()
    }
