"""All derived slices, by name, beside the declared ones."""

from collections.abc import Callable, Iterable, Iterator, Mapping

import polars as pl

from pipeline.derived_slices import evidence, words
from pipeline.derived_slices.known import Known, language_of
from pipeline.slices import Slices

# Name to the queries it holds; a query may be in many.
DERIVED: Mapping[str, Callable[[Known], Iterator[str]]] = {
    "acronym": words.acronym,
    "ambiguous_entity": evidence.ambiguous_entity,
    "branches_agree": evidence.branches_agree,
    "branches_disagree": evidence.branches_disagree,
    "cross_lingual": evidence.cross_lingual,
    "exact_identifier": words.exact_identifier,
    "freshness": evidence.freshness,
    "long_query": words.long,
    "low_overlap": evidence.low_overlap,
    "negation": words.negation,
    "numbers": words.numbers,
    "one_required": evidence.one_required,
    "several_required": evidence.several_required,
    "short_query": words.short,
    "temporal": words.temporal,
    "with_principal": evidence.with_principal,
    "without_principal": evidence.without_principal,
}
LOCALE = "locale_"


def derived_slices(known: Known) -> dict[str, frozenset[str]]:
    """Slice to its queries, by name; empty ones are left out.

    `locale_LANGUAGE` stands beside the named ones where the queries have several languages.
    """
    found = {name: frozenset(find(known)) for name, find in DERIVED.items()}
    found |= _by_locale(known.queries)
    return {name: found[name] for name in sorted(found) if found[name]}


def _by_locale(queries: pl.DataFrame) -> dict[str, frozenset[str]]:
    spoken: dict[str, set[str]] = {}
    for query, locale in queries.select("query_id", "locale").drop_nulls().iter_rows():
        spoken.setdefault(language_of(locale), set()).add(query)
    if len(spoken) < 2:
        return {}
    return {f"{LOCALE}{language}": frozenset(members) for language, members in spoken.items()}


def with_derived(slices: Slices, ranked: Iterable[str], known: Known) -> Slices:
    """The declared slices, and after them those derived that are not declared.

    Args:
        slices: the declared ones, over the same ranked queries.
        ranked: the queries that enter ranking means.
        known: what slices are derived from; its params say from how many queries on one is shown,
            and whether any is derived.
    """
    if not known.params.derived:
        return slices
    inside = frozenset(ranked)
    members = {
        name: tuple(sorted(queries & inside))
        for name, queries in derived_slices(known).items()
        if name not in known.declared and queries & inside
    }
    minimum = known.params.minimum
    shown = {name: queries for name, queries in members.items() if len(queries) >= minimum}
    left_out = {name: len(queries) for name, queries in members.items() if name not in shown}
    return Slices(
        {**slices.shown, **shown}, {**slices.left_out, **left_out}, derived=frozenset(shown)
    )
