"""What is written down beside a branch's lists: contract, digests, notes, warnings."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.candidates.retriever import Notes, Retriever, is_prefix
from pipeline.candidates.searching import questions
from pipeline.eligibility import eligible, is_restricted, principal_of
from pipeline.identity import contract_digest, digest
from pipeline.params import AnyBranch

# How many queries, spread over all, the prefix property is tried on.
_SAMPLE = 5


def manifest_of(
    name: str,
    branch: AnyBranch,
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    states: pl.DataFrame,
) -> dict[str, Any]:
    """What every branch's manifest says, of whatever kind."""
    documents_digest = digest(documents)
    counts = states.group_by("status").len().sort("status")
    return {
        "branch": name,
        "parameters": branch.model_dump(mode="json"),
        "contract_digest": contract_digest(branch, documents_digest),
        "hashes": {"documents": documents_digest, "queries": digest(queries)},
        "queries": dict(counts.iter_rows()),
    }


def engine_of(
    retriever: Retriever, *, documents: pl.DataFrame, queries: pl.DataFrame, depth: int
) -> dict[str, Any]:
    """What a branch with an engine of its own says besides."""
    return {
        "contract": {
            **retriever.contract,
            "ties": "score descending, then doc_id ascending by code point",
            "scores": "six significant digits, rounded before ordering",
            "eligibility": "inside the search",
        },
        "index_digest": retriever.index_digest,
        "model_digest": retriever.model_digest,
        "notes": _notes(retriever.notes, documents),
        "warnings": _warnings(retriever.notes),
        "prefix": _prefix(retriever, documents, queries, depth),
    }


def _notes(notes: Notes, documents: pl.DataFrame) -> dict[str, Any]:
    first = [documents["doc_id"][position] for position in notes.without_terms[:3]]
    return {
        "documents": notes.documents,
        "absent": notes.absent,
        "no_indexable_tokens": {"documents": len(notes.without_terms), "first": first},
        "tokens": {"total": notes.tokens, "longest": notes.longest},
        "truncated": {
            "documents": notes.truncated,
            "tokens_lost": notes.tokens_lost,
            "limit": notes.limit,
        },
    }


def _warnings(notes: Notes) -> list[str]:
    silent, of = len(notes.without_terms), f"of {notes.documents} documents"
    said = {
        f"no indexable tokens ({silent} {of})": silent,
        f"{notes.truncated} {of} truncated at the model limit of {notes.limit} tokens, "
        f"{notes.tokens_lost} tokens lost": notes.truncated,
        f"nothing to index ({notes.absent} {of} have neither text nor vector)": notes.absent,
    }
    return [sentence for sentence, count in said.items() if count]


def _prefix(
    retriever: Retriever, documents: pl.DataFrame, queries: pl.DataFrame, depth: int
) -> Mapping[str, Any]:
    asked = questions(retriever, queries)
    every = queries.filter(pl.col("query_id").is_in(list(asked))).sort("query_id")
    sample = every.gather_every(max(1, every.height // _SAMPLE)).head(_SAMPLE)
    restricted = is_restricted(documents)
    holds = all(
        is_prefix(
            retriever,
            [asked[query["query_id"]]],
            eligible(documents, principal_of(query)) if restricted else None,
            depth,
        )
        for query in sample.iter_rows(named=True)
    )
    return {"queries": sample.height, "holds": holds}
