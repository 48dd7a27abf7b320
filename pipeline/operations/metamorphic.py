"""Promises that need no grade to be checked: what must not change, does it change?

Each check is a relation between two lists of the same system: of each branch, and of the selected
configuration, whose lists are fused of what its branches returned. It is tried where its premise
holds (a hit before, both versions listed); a violation is named by its query.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.operations.checked import Checked
from pipeline.params import Params
from pipeline.systems import SELECTED

Outcome = tuple[set[str], set[str]]
"""Queries it was tried on, and those of them that violate it."""


def metamorphic(checked: Checked) -> list[dict[str, Any]]:
    """Every check on every system it is for.

    Returns:
        Rows `check, system, tried, violations, rate` (null where nothing was tried), `queries`
        (the violating ones, sorted), `reason` (why nothing could be tried, else null); sorted by
        check and system.
    """
    rows = []
    for check, (asks, words, outcome) in CHECKS.items():
        for system in _systems(checked):
            reason = checked.silent(system, words=words) if asks else None
            tried, wrong = outcome(checked, system) if reason is None else (set(), set())
            rows.append(_row(check, system, tried, wrong, reason))
    return sorted(rows, key=lambda row: (row["check"], row["system"]))


def _row(
    check: str, system: str, tried: set[str], wrong: set[str], reason: str | None
) -> dict[str, Any]:
    return {
        "check": check,
        "system": system,
        "tried": len(tried),
        "violations": len(wrong),
        "rate": len(wrong) / len(tried) if tried else None,
        "queries": sorted(wrong),
        "reason": reason or (None if tried else "no query to try it on"),
    }


def _systems(checked: Checked) -> list[str]:
    branches = sorted(checked.params.candidates)
    return branches if checked.chosen is None else [*branches, SELECTED]


def _irrelevant_document(checked: Checked, system: str) -> Outcome:
    """Documents that answer nothing must not push the only relevant one out of the context."""
    relevant = checked.relevant()
    single = relevant.group_by("query_id").len().filter(pl.col("len") == 1)
    return _kept(checked, system, "noise", relevant.join(single, on="query_id", how="semi"))


def _punctuation(checked: Checked, system: str) -> Outcome:
    """The same words in quotation marks must not turn a hit into a miss."""
    return _kept(checked, system, "punctuation", checked.relevant())


def _kept(checked: Checked, system: str, probe: str, relevant: pl.DataFrame) -> Outcome:
    hits = _hits(checked.before(system), relevant, checked.params)
    return hits, hits - _hits(checked.after(probe, system), relevant, checked.params)


def _hits(run: pl.DataFrame, relevant: pl.DataFrame, params: Params) -> set[str]:
    """Queries with relevant evidence among the items that a context takes."""
    top = run.filter(pl.col("rank") <= params.context.depth)
    return set(top.join(relevant, on=["query_id", "evidence_id"], how="semi")["query_id"])


def _repeated_identifier(checked: Checked, system: str) -> Outcome:
    """A page that says its own identifier more often must not stand lower for it."""
    before = _page_ranks(checked, checked.before(system))
    after = _page_ranks(checked, checked.after("repeated_identifier", system))
    return set(before), {q for q, rank in before.items() if after.get(q, rank + 1) > rank}


def _page_ranks(checked: Checked, run: pl.DataFrame) -> dict[str, int]:
    """Where each query's own page stands, or what stands for it after collapse."""
    plan = checked.these.plan
    pages = {} if plan is None else plan.pages
    own = pl.DataFrame(
        {"query_id": list(pages), "doc_id": list(pages.values())},
        schema={"query_id": pl.String, "doc_id": pl.String},
    )
    units = checked.with_units(own).select("query_id", "unit")
    found = checked.with_units(run).join(units, on=["query_id", "unit"], how="semi")
    return dict(found.select("query_id", "rank").iter_rows())


def _superseded(checked: Checked, system: str) -> Outcome:
    """At a date at which the replacement is in force, it stands above what it replaces."""
    rows = checked.listed(system)
    replaced = checked.documents.select("doc_id", new="superseded_by").drop_nulls()
    begins = checked.documents.select(new="doc_id", begins="valid_from")
    dated = checked.queries.select("query_id", "as_of").drop_nulls()
    pairs = (
        rows.join(replaced, on="doc_id")
        .join(begins, on="new")
        .join(dated, on="query_id")
        .filter((pl.col("begins") <= pl.col("as_of")).fill_null(True))
        .join(rows.select("query_id", new="doc_id", above="rank"), on=["query_id", "new"])
    )
    wrong = pairs.filter(pl.col("rank") < pl.col("above"))
    return set(pairs["query_id"]), set(wrong["query_id"])


def _other_tenant(checked: Checked, system: str) -> Outcome:
    """A tenant's filter removes every other tenant's documents, whoever's words are asked."""
    tenants = checked.these.documents.select("doc_id", "tenant").drop_nulls()
    if tenants.is_empty():
        return set(), set()
    rows = pl.concat(_filtered_lists(checked, system))
    asks = checked.queries.select("query_id", asks="tenant")
    owned = rows.join(tenants, on="doc_id").join(asks, on="query_id")
    wrong = owned.filter(pl.col("tenant").ne_missing(pl.col("asks")))
    return set(rows["query_id"]), set(wrong["query_id"])


def _filtered_lists(checked: Checked, system: str) -> Iterator[pl.DataFrame]:
    yield checked.listed(system).select("query_id", "doc_id")
    if system in checked.params.candidates:
        again = checked.these.of("as_others", system)
        yield again.select(pl.col("asked_as").alias("query_id"), "doc_id")
    else:
        yield checked.fused_for_others()


# Check: whether systems are asked again for it, whether with other words or documents, and how.
CHECKS: Mapping[str, tuple[bool, bool, Callable[[Checked, str], Outcome]]] = {
    "irrelevant_document": (True, True, _irrelevant_document),
    "other_tenant": (False, False, _other_tenant),
    "punctuation": (True, True, _punctuation),
    "repeated_identifier": (True, True, _repeated_identifier),
    "superseded": (False, False, _superseded),
}
