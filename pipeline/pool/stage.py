"""The stage `pool`: which evidence should people judge, and how much have they judged?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.grid.points import declared_grid, distinct_depths
from pipeline.judgments import resolve
from pipeline.params import Params
from pipeline.pool.coverage import coverage_of, cutoffs_of
from pipeline.pool.kinds import Known, members_of
from pipeline.systems import System, default_systems, rank_systems
from pipeline.tables import COMPOSITION, POOL, POOL_STATUSES

ALL_QUERIES = "all"


@dataclass(frozen=True, slots=True)
class Pool:
    """What is put up for judging.

    Args:
        pool: table POOL.
        coverage: table COVERAGE.
        composition: table COMPOSITION; kind `all` is every query.
        summary: the figures a person wants to see.
    """

    pool: pl.DataFrame
    coverage: pl.DataFrame
    composition: pl.DataFrame
    summary: dict[str, object]


def compute(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    judgments: pl.DataFrame,
    splits: pl.DataFrame,
    candidates: pl.DataFrame,
    candidate_queries: pl.DataFrame,
    params: Params,
) -> Pool:
    """The union of what every system shows down to the pool's depth, and what is known of it.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        judgments: table JUDGMENTS.
        splits: table SPLITS.
        candidates: table CANDIDATES.
        candidate_queries: table CANDIDATE_QUERIES.
        params: sections pool, collection, candidates, production, fusion, context, sweep,
            evaluation.

    Returns:
        The pool, coverage for each system, side and cutoff, the pool's composition.

    Raises:
        ParameterError: a measure that is not known, a grid of fewer than two branches.
        ContractError: lists that break the fusion contract.
        RecordError: one assessor who contradicts himself within one round.
    """
    systems = SYSTEMS[params.pool.systems](params)
    cutoffs = cutoffs_of(params)
    runs = rank_systems(systems, candidates, params.fusion).filter(pl.col("rank") <= max(cutoffs))
    resolved = resolve(judgments, params.collection.assessors)
    pool = _pool(runs.filter(pl.col("rank") <= params.pool.depth), resolved)
    coverage = coverage_of(runs, resolved, splits, cutoffs, alpha=params.evaluation.alpha)
    known = Known(
        documents=documents,
        queries=queries,
        resolved=resolved,
        candidates=candidates,
        candidate_queries=candidate_queries,
        depth=params.context.depth,
        rel=params.collection.rel,
    )
    composition = _composition(pool, queries, members_of(known))
    return Pool(pool, coverage, composition, _summary(pool, composition, len(systems), params))


def grid_systems(params: Params) -> tuple[System, ...]:
    """The defaults, and every point of the declared grid at every declared depth."""
    known = default_systems(params)
    seen = {system.configuration for system in known}
    points = declared_grid(params, distinct_depths(params))
    grid = [System(point.id, "configuration", point) for point in points if point not in seen]
    return (*known, *grid)


SYSTEMS: Mapping[str, Callable[[Params], tuple[System, ...]]] = {
    "defaults": default_systems,
    "grid": grid_systems,
}


def _pool(shown: pl.DataFrame, resolved: pl.DataFrame) -> pl.DataFrame:
    pairs = shown.select("query_id", "evidence_id").unique()
    known = resolved.select("query_id", "evidence_id", "status")
    joined = pairs.join(known, on=["query_id", "evidence_id"], how="left")
    return POOL.check(joined.with_columns(pl.col("status").fill_null("unjudged")))


def _composition(
    pool: pl.DataFrame, queries: pl.DataFrame, members: Mapping[str, frozenset[str]]
) -> pl.DataFrame:
    every = frozenset(queries["query_id"])
    rows = []
    for kind, query_ids in {ALL_QUERIES: every, **members}.items():
        pairs = pool.filter(pl.col("query_id").is_in(list(query_ids)))
        judged = pairs.filter(pl.col("status") == "judged").height
        rows.append((kind, len(query_ids & every), pairs.height, judged))
    return COMPOSITION.check(pl.DataFrame(rows, schema=dict(COMPOSITION.columns), orient="row"))


def _summary(
    pool: pl.DataFrame, composition: pl.DataFrame, systems: int, params: Params
) -> dict[str, object]:
    counts = dict(pool.group_by("status").len().iter_rows())
    return {
        "depth": params.pool.depth,
        "systems": systems,
        "pairs": pool.height,
        **{status: int(counts.get(status, 0)) for status in POOL_STATUSES},
        "judged_share": round(counts.get("judged", 0) / pool.height, 4) if pool.height else None,
        "table": {
            "columns": list(COMPOSITION.columns),
            "rows": [list(row) for row in composition.rows()],
        },
    }
