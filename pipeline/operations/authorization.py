"""Forbidden evidence, searched for in every stored list, row by row.

Documents decide, by `doc_id`, and members that are collapsed into an evidence count like the one
that represents it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.clearance import audited_as
from pipeline.eligibility import is_restricted
from pipeline.forbidden import ROW, forbidden, hidden_evidence
from pipeline.fusion import LEVELS
from pipeline.params import Params
from pipeline.parts import DEV, side_of
from pipeline.tables import CANARY, FORBIDDEN

# How many forbidden rows authorization.json shows; FORBIDDEN holds all of them.
LISTED = 100


@dataclass(frozen=True, slots=True)
class StoredLists:
    """Every stored list that names a document or evidence beside a query.

    Args:
        candidates: CANDIDATES, as every branch returned them.
        probes: what branches returned under a filter when asked again: system, query_id, doc_id.
        configurations: CONFIGURATIONS; the sweep stores values only, so what it could have
            gained from is searched for: the dev queries' lists, to the depths it fused.
        splits: SPLITS; they tell the dev queries.
        pool: POOL; evidence counts where it has documents and none of them may be seen.
        judgments: DEV_JUDGMENTS and TEST_JUDGMENTS, counted as the pool: they make the ideal.
        runs: RUNS; the members behind an item are those of the branches' own lists.
        contexts: CONTEXTS, with their members likewise.
        traces: TRACES, counted as the pool.
        diagnosis: DIAGNOSIS, counted as the pool.
        critical: CRITICAL, counted as the pool: worksheets are made of it.
    """

    candidates: pl.DataFrame
    probes: pl.DataFrame
    configurations: pl.DataFrame
    splits: pl.DataFrame
    pool: pl.DataFrame
    judgments: pl.DataFrame
    runs: pl.DataFrame
    contexts: pl.DataFrame
    traces: pl.DataFrame
    diagnosis: pl.DataFrame
    critical: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Audit:
    """What was found.

    Args:
        authorization: `applies` (whether any document is restricted), `checked` (list to `rows`
            and `forbidden`), `forbidden` (in all lists), `canaries` (documents that
            nobody may see), `audited` (digest of the lists that may be shown),
            `where` (the first 100 of FORBIDDEN).
        forbidden: FORBIDDEN, all of it.
    """

    authorization: dict[str, Any]
    forbidden: pl.DataFrame


def audit(
    lists: StoredLists, *, documents: pl.DataFrame, queries: pl.DataFrame, params: Params
) -> Audit:
    """Counts and lists what its query's principal may not see at the query's date.

    Args:
        lists: what is searched.
        documents: DOCUMENTS, with what was planted for the probes.
        queries: QUERIES.
        params: the fusion level and branches.
    """
    if not is_restricted(documents):
        nothing = {"applies": False, "checked": {}, "forbidden": 0, "where": []}
        return Audit(nothing, FORBIDDEN.empty())
    named = _named(lists, documents, params)
    pairs = {
        "pool": lists.pool,
        "judgments": lists.judgments,
        "traces": lists.traces,
        "diagnosis": lists.diagnosis,
        "critical": lists.critical,
    }
    found = {name: forbidden(rows, documents, queries) for name, rows in named.items()}
    found |= {name: _hidden(rows, documents, queries) for name, rows in pairs.items()}
    searched = {name: rows.height for name, rows in {**named, **pairs}.items()}
    every = FORBIDDEN.check(
        pl.concat(
            rows.select(pl.lit(name).alias("list"), *ROW, "reason") for name, rows in found.items()
        )
    )
    authorization = {
        "applies": True,
        "checked": {
            name: {"rows": searched[name], "forbidden": found[name].height}
            for name in sorted(found)
        },
        "forbidden": every.height,
        "canaries": documents.filter(pl.col("kind") == CANARY).height,
        "audited": audited_as(lists.runs),
        "where": every.head(LISTED).to_dicts(),
    }
    return Audit(authorization, every)


def _named(lists: StoredLists, documents: pl.DataFrame, params: Params) -> dict[str, pl.DataFrame]:
    """The lists of documents, each as system, query_id, doc_id."""
    selected = lists.contexts.select(pl.lit("selected").alias("system"), "query_id", "doc_id")
    return {
        "candidates": lists.candidates.select(pl.col("branch").alias("system"), *ROW[1:]),
        "probes": lists.probes,
        "contexts": _with_members(selected, documents, lists.candidates, params),
        "runs": _with_members(lists.runs, documents, lists.candidates, params),
        "sweep": _swept(lists),
    }


def _swept(lists: StoredLists) -> pl.DataFrame:
    """What the sweep's configurations fuse: the dev queries' candidates to the greatest depth."""
    dev = side_of(DEV, lists.splits)
    parts = [
        lists.candidates.filter((pl.col("branch") == branch) & (pl.col("rank") <= depth))
        for branch, depth in _depths(lists.configurations)
    ]
    rows = pl.concat([lists.candidates.clear(), *parts])
    return rows.join(dev, on="query_id", how="semi").select(
        pl.col("branch").alias("system"), *ROW[1:]
    )


def _depths(configurations: pl.DataFrame) -> Iterator[tuple[str, int]]:
    for column in sorted(configurations.columns):
        if not column.startswith("depth_"):
            continue
        branch = column.removeprefix("depth_")
        fused = configurations.filter(pl.col(f"weight_{branch}") > 0)
        deepest = fused[column].max()
        if isinstance(deepest, int):
            yield branch, deepest


def _with_members(
    lists: pl.DataFrame, documents: pl.DataFrame, candidates: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """Each listed item's document, and every document of its unit in the branches' lists.

    A branch by itself holds its own members only; everything else may hold any branch's.
    """
    unit = LEVELS[params.fusion.level]
    units = documents.select("doc_id", pl.col(unit).alias("unit"))
    raw = candidates.select(
        "branch", "query_id", pl.col("doc_id").alias("member"), pl.col(unit).alias("unit")
    )
    every = [lists.select(ROW).clear()]
    # One system after the other: the members of all at once would be the most that is ever held.
    for system in sorted(lists["system"].unique()):
        listed = lists.filter(pl.col("system") == system).select(ROW)
        held = raw.filter(pl.col("branch") == system) if system in params.candidates else raw
        members = (
            listed.join(units, on="doc_id")
            .join(held, on=["query_id", "unit"])
            .select("system", "query_id", pl.col("member").alias("doc_id"))
        )
        every.append(pl.concat([listed, members]).unique().sort(ROW))
    return pl.concat(every)


def _hidden(pairs: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    """Evidence that may not be put up or counted, told by the first of its documents."""
    hidden = hidden_evidence(pairs, documents, queries)
    return hidden.select(pl.lit("").alias("system"), "query_id", "doc_id", "reason")
