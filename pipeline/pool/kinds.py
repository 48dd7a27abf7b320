"""The kinds of queries a pool should hold; a query may be of several.

exact_terms       it names an exact code (`PAY-1047`)
paraphrase        declared so, or its relevant evidence holds fewer than half of its terms
branches_agree    the branches' first items are mostly the same
branches_disagree they are mostly not
filtered          its principal or date kept documents from it
nothing_relevant  declared unanswerable, or judged and nothing relevant found
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from pipeline.analyzer import Analyzer, identifiers
from pipeline.query_states import NO_RELEVANT, UNANSWERABLE, query_states

# Two branches agree where they share at least this part of the shorter list's first items.
_AGREEMENT = 0.5
# A paraphrase shares less than this part of its terms with the evidence that answers it.
_LOW_OVERLAP = 0.5


@dataclass(frozen=True, slots=True)
class Known:
    """What the kinds are told from.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        resolved: query_id, evidence_id, grade, status.
        candidates: table CANDIDATES, all branches.
        candidate_queries: table CANDIDATE_QUERIES.
        depth: how many first items of a branch are compared.
        rel: the least grade that is relevant.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    resolved: pl.DataFrame
    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    depth: int
    rel: int


def members_of(known: Known) -> dict[str, frozenset[str]]:
    """The queries of each kind."""
    return {kind: frozenset(find(known)) for kind, find in KINDS.items()}


def _exact_terms(known: Known) -> Iterator[str]:
    for query_id, text in known.queries.select("query_id", "text").iter_rows():
        if text is not None and identifiers(text):
            yield query_id


def _paraphrase(known: Known) -> Iterator[str]:
    analyzer = Analyzer()
    declared = known.queries.filter(pl.col("paraphrase_of").is_not_null())
    yield from declared["query_id"]
    answers = _answers(known)
    for query_id, text in known.queries.select("query_id", "text").iter_rows():
        asked = set(analyzer.terms(text or ""))
        held = {term for answer in answers.get(query_id, []) for term in analyzer.terms(answer)}
        if asked and held and len(asked & held) < _LOW_OVERLAP * len(asked):
            yield query_id


def _answers(known: Known) -> dict[str, list[str]]:
    relevant = known.resolved.filter(
        (pl.col("status") == "judged") & (pl.col("grade") >= known.rel)
    )
    texts = known.documents.select(
        "evidence_id", text=pl.concat_str("title", "text", separator="\n", ignore_nulls=True)
    )
    grouped = relevant.join(texts, on="evidence_id").group_by("query_id").agg("text")
    return dict(grouped.iter_rows())


def _agree(known: Known) -> Iterator[str]:
    return (query_id for query_id, share in _shared(known).items() if share >= _AGREEMENT)


def _disagree(known: Known) -> Iterator[str]:
    return (query_id for query_id, share in _shared(known).items() if share < _AGREEMENT)


def _shared(known: Known) -> dict[str, float]:
    """The part of the shorter list's first evidence that two branches share, mean over pairs.

    Queries to which fewer than two branches returned anything are left out.
    """
    first = known.candidates.filter(pl.col("rank") <= known.depth)
    grouped = first.group_by("query_id", "branch").agg(pl.col("evidence_id").unique())
    lists: dict[str, list[set[str]]] = {}
    for query_id, _, evidence in grouped.sort("query_id", "branch").iter_rows():
        lists.setdefault(query_id, []).append(set(evidence))
    return {
        query_id: sum(len(a & b) / min(len(a), len(b)) for a, b in pairs) / len(pairs)
        for query_id, found in lists.items()
        if (pairs := list(combinations(found, 2)))
    }


def _filtered(known: Known) -> Iterator[str]:
    narrowed = known.candidate_queries.filter(pl.col("eligible") < known.documents.height)
    yield from narrowed["query_id"]


def _nothing_relevant(known: Known) -> Iterator[str]:
    states = query_states(known.queries, known.resolved, rel=known.rel)
    yield from states.filter(pl.col("state").is_in([UNANSWERABLE, NO_RELEVANT]))["query_id"]


KINDS: Mapping[str, Callable[[Known], Iterator[str]]] = {
    "branches_agree": _agree,
    "branches_disagree": _disagree,
    "exact_terms": _exact_terms,
    "filtered": _filtered,
    "nothing_relevant": _nothing_relevant,
    "paraphrase": _paraphrase,
}
