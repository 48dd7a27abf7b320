"""Slices told by a query's evidence, its principal, and the branches' lists."""

from collections.abc import Iterator
from itertools import combinations

import polars as pl

from pipeline.analyzer import Analyzer, fold
from pipeline.derived_slices.known import Known, language_of

_HALF = 0.5


def low_overlap(known: Known) -> Iterator[str]:
    """Fewer than half of its terms stand in the evidence that answers it: a paraphrase."""
    analyzer = Analyzer()
    texts = known.carriers().select(
        "query_id", held=pl.concat_str("title", "text", separator="\n", ignore_nulls=True)
    )
    held = dict(texts.group_by("query_id").agg(pl.col("held").drop_nulls()).iter_rows())
    for query, text in known.texts():
        asked = set(analyzer.terms(text))
        found = {term for answer in held.get(query, []) for term in analyzer.terms(answer)}
        if asked and found and len(asked & found) < _HALF * len(asked):
            yield query


def freshness(known: Known) -> Iterator[str]:
    """Its evidence replaces a document, or is replaced by one."""
    replaced = known.documents.drop_nulls("superseded_by")
    either = [*replaced["doc_id"], *replaced["superseded_by"]]
    return iter(known.carriers().filter(pl.col("doc_id").is_in(either))["query_id"])


def cross_lingual(known: Known) -> Iterator[str]:
    """All of its evidence is in other languages than the query."""
    locales = known.carriers().drop_nulls("locale").select("query_id", told="locale")
    spoken = dict(known.queries.select("query_id", "locale").drop_nulls().iter_rows())
    found: dict[str, set[str]] = {}
    for query, locale in locales.iter_rows():
        found.setdefault(query, set()).add(language_of(locale))
    return (
        query
        for query, languages in found.items()
        if query in spoken and language_of(spoken[query]) not in languages
    )


def ambiguous_entity(known: Known) -> Iterator[str]:
    """It names an entity that documents of several sources carry."""
    carried = known.documents.select("source_id", "entities").explode("entities").drop_nulls()
    counts = carried.group_by("entities").agg(pl.col("source_id").n_unique().alias("sources"))
    names = {fold(name) for name in counts.filter(pl.col("sources") > 1)["entities"]}
    for query, text in known.texts():
        words = fold(text).split()
        runs = {
            " ".join(words[start:end]).strip(".,;:!?\"'()")
            for start in range(len(words))
            for end in range(start + 1, min(start + 5, len(words)) + 1)
        }
        if names & runs:
            yield query


def branches_agree(known: Known) -> Iterator[str]:
    """Two branches share at least half of their first items, on average over pairs."""
    return (query for query, share in _shared(known).items() if share >= _HALF)


def branches_disagree(known: Known) -> Iterator[str]:
    """They share less than half."""
    return (query for query, share in _shared(known).items() if share < _HALF)


def _shared(known: Known) -> dict[str, float]:
    first = known.candidates.filter(pl.col("rank") <= known.depth)
    grouped = first.group_by("query_id", "branch").agg(pl.col("evidence_id").unique())
    lists: dict[str, list[set[str]]] = {}
    for query, _, evidence in grouped.sort("query_id", "branch").iter_rows():
        lists.setdefault(query, []).append(set(evidence))
    return {
        query: sum(len(a & b) / min(len(a), len(b)) for a, b in pairs) / len(pairs)
        for query, found in lists.items()
        if (pairs := list(combinations(found, 2)))
    }


def one_required(known: Known) -> Iterator[str]:
    """It declares one evidence as required."""
    return (query for query, number in _required(known) if number == 1)


def several_required(known: Known) -> Iterator[str]:
    """It declares several evidences as required."""
    return (query for query, number in _required(known) if number > 1)


def _required(known: Known) -> list[tuple[str, int]]:
    declared = known.queries.drop_nulls("required_evidence")
    return declared.select("query_id", pl.col("required_evidence").list.n_unique()).rows()


def with_principal(known: Known) -> Iterator[str]:
    """Asked on behalf of a tenant or of groups, where any document is restricted."""
    return iter(known.queries.filter(_restricted(known) & _HAS_PRINCIPAL)["query_id"])


def without_principal(known: Known) -> Iterator[str]:
    """Asked on behalf of nobody, where any document is restricted."""
    return iter(known.queries.filter(_restricted(known) & ~_HAS_PRINCIPAL)["query_id"])


_HAS_PRINCIPAL = pl.col("tenant").is_not_null() | (pl.col("groups").list.len() > 0).fill_null(False)


def _restricted(known: Known) -> pl.Expr:
    named = (known.documents[name].null_count() for name in ("tenant", "groups"))
    return pl.lit(any(absent < known.documents.height for absent in named))
