"""What one part is measured on: every system's values, and what is read off them."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.evaluation.ablations import WITHOUT
from pipeline.evaluation.agreement import agreement
from pipeline.evaluation.bounds import bounds
from pipeline.evaluation.bounds.rates import Rates
from pipeline.evaluation.branch_value import branch_value
from pipeline.evaluation.comparisons import compare
from pipeline.evaluation.complementarity import complementarity
from pipeline.evaluation.critical import critical
from pipeline.evaluation.diagnosis import diagnose
from pipeline.evaluation.diagnostics import (
    BEST_BRANCH_PER_QUERY,
    ORACLE_UNION,
    best_branch_per_query,
    oracle_union,
)
from pipeline.evaluation.equal_work import branches_of, equal_work
from pipeline.evaluation.figures import Evaluated
from pipeline.evaluation.pool_bias import pool_bias
from pipeline.evaluation.rankings import Rankings
from pipeline.evaluation.split_values import per_query_values, system_means
from pipeline.evaluation.traces import Retrieved, configurations_of, trace, wanted_evidence
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import PRODUCTION, SELECTED
from pipeline.tables import PER_QUERY


@dataclass(frozen=True, slots=True)
class World:
    """What is the same whichever part is looked at.

    Args:
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        documents: DOCUMENTS.
        pool: POOL.
        rates: how often dev's evidence got each grade; None: too little of it is judged.
        beyond: branch, query_id, evidence_id, rank: what only a recorded run's deeper ranks have.
        depths: branch to how deep its lists are known.
        folds: query to fold.
    """

    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    documents: pl.DataFrame
    pool: pl.DataFrame
    rates: Rates | None
    beyond: pl.DataFrame
    depths: Mapping[str, float]
    folds: Mapping[str, int | None]


def evaluate_part(part: Part, lists: Rankings, world: World, params: Params) -> Evaluated:
    """Measures and compares every system on one part.

    Args:
        part: the part: its queries, labels and slices.
        lists: every system's lists.
        world: the rest.
        params: the study's parameters.
    """
    candidates = world.candidates
    with_labels, per_query = _with_diagnostics(part, lists, candidates, params)
    fused = candidates.filter(pl.col("branch").is_in(list(params.fused_branches)))
    must_beat = must_beat_systems(lists)
    relevant = part.relevant(params.collection.rel)
    retrieved = _retrieved(part, lists, world)
    wanted = wanted_evidence(part, world.documents, rel=params.collection.rel)
    traces = trace(wanted, part, retrieved, params)
    return Evaluated(
        part=part,
        runs=with_labels.runs,
        roles=with_labels.roles,
        systems=system_means(per_query, with_labels, part, params),
        per_query=per_query,
        comparisons=compare(
            per_query, with_labels.roles, part, params, aliases=with_labels.aliases
        ),
        complementarity=complementarity(relevant, fused, part.slices, split=part.split),
        bounds=bounds(lists.runs, must_beat, part, params, world.rates),
        equal_work=equal_work(
            per_query,
            relevant,
            part,
            retrieved,
            params,
            baselines=branches_of(lists.roles, lists.aliases, params),
        ),
        branch_value=branch_value(
            _with_dropped(per_query, lists, part, params), relevant, part, retrieved, params
        ),
        agreement=agreement(part, retrieved, params),
        traces=traces,
        diagnosis=diagnose(wanted, traces, per_query, part, retrieved, params, rivals=must_beat),
        critical=critical(lists.runs, must_beat, part, world.documents, params),
        pool_bias=pool_bias(lists.runs, must_beat, part, world.pool, params),
        must_beat=tuple(must_beat),
    )


def must_beat_systems(lists: Rankings) -> list[str]:
    """The single branches, and the production run."""
    return sorted(
        system for system, role in lists.roles.items() if role == "branch" or system == PRODUCTION
    )


def _with_dropped(
    per_query: pl.DataFrame, lists: Rankings, part: Part, params: Params
) -> pl.DataFrame:
    """Also the primary values of the selected configuration without each branch."""
    names = [f"{WITHOUT}{name}" for name in params.fused_branches]
    dropped = per_query_values(
        lists.dropped, names, part, params, measures=[params.selection.measure]
    )
    return pl.concat([per_query.filter(pl.col("system") == SELECTED), dropped])


def _retrieved(part: Part, lists: Rankings, world: World) -> Retrieved:
    # In-sample, the final configuration ranks every query, whatever its fold.
    return Retrieved(
        candidates=world.candidates,
        beyond=world.beyond,
        depths=world.depths,
        states=world.candidate_queries,
        documents=world.documents,
        runs=lists.runs,
        fused=configurations_of(part.ranked, lists.chosen, world.folds),
    )


def _with_diagnostics(
    part: Part, lists: Rankings, candidates: pl.DataFrame, params: Params
) -> tuple[Rankings, pl.DataFrame]:
    """The lists with those that only the labels can make, and every system's values."""
    plain = per_query_values(lists.runs, lists.roles, part, params)
    branches = [system for system, role in lists.roles.items() if role == "branch"]
    best = best_branch_per_query(plain, lists.runs, branches, params.selection.measure)
    union = oracle_union(candidates, part, params)
    more = lists.with_run(union, ORACLE_UNION, "diagnostic").with_run(
        best, BEST_BRANCH_PER_QUERY, "diagnostic"
    )
    diagnosed = per_query_values(more.runs, [ORACLE_UNION, BEST_BRANCH_PER_QUERY], part, params)
    return more, PER_QUERY.check(pl.concat([plain, diagnosed]))
