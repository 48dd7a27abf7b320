"""The stage `evaluation`: how the frozen configuration compares with everything it must beat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pipeline.choices import final_choice, fold_choices
from pipeline.collection.recorded import RecordedRun
from pipeline.derived_slices import Known, with_derived
from pipeline.evaluation.ablations import WITHOUT
from pipeline.evaluation.agreement import agreement
from pipeline.evaluation.beyond import beyond_depth, known_depths
from pipeline.evaluation.bounds import bounds
from pipeline.evaluation.bounds.rates import Rates, rates_of
from pipeline.evaluation.branch_value import branch_value
from pipeline.evaluation.comparisons import compare
from pipeline.evaluation.complementarity import complementarity
from pipeline.evaluation.contexts import contexts
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
from pipeline.evaluation.rankings import Rankings, chosen_lists, rank_held_out, rank_shipped
from pipeline.evaluation.split_values import per_query_values, system_means
from pipeline.evaluation.summary import summarise
from pipeline.evaluation.sweep_agreement import sweep_gap
from pipeline.evaluation.traces import Retrieved, configurations_of, trace, wanted_evidence
from pipeline.ledger import Opening
from pipeline.params import Params
from pipeline.parts import DEV, TEST, Part, visible_parts
from pipeline.pieces import Frames
from pipeline.seal import seal
from pipeline.slices import ALL_QUERIES
from pipeline.systems import PRODUCTION, SELECTED
from pipeline.tables import (
    AGREEMENT,
    BOUNDS,
    BRANCH_VALUE,
    COMPARISONS,
    COMPLEMENTARITY,
    CRITICAL,
    DIAGNOSIS,
    EQUAL_WORKS,
    PER_QUERY,
    POOL_BIAS,
    RUNS,
    SLICE_MEMBERS,
    SYSTEMS,
    TRACES,
    Table,
)
from pipeline.threads import LinearAlgebra


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What the stage writes; tables as in `pipeline.tables`."""

    runs: pl.DataFrame
    systems: pl.DataFrame
    per_query: pl.DataFrame
    comparisons: pl.DataFrame
    complementarity: pl.DataFrame
    bounds: pl.DataFrame
    equal_work: pl.DataFrame
    branch_value: pl.DataFrame
    agreement: pl.DataFrame
    slices: pl.DataFrame
    traces: pl.DataFrame
    diagnosis: pl.DataFrame
    critical: pl.DataFrame
    pool_bias: pl.DataFrame
    contexts: pl.DataFrame
    summary: dict[str, object]


@dataclass(frozen=True, slots=True)
class _World:
    """What is the same whichever part is looked at; `folds`: query to fold."""

    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    documents: pl.DataFrame
    pool: pl.DataFrame
    rates: Rates | None
    beyond: pl.DataFrame
    depths: Mapping[str, float]
    folds: Mapping[str, int | None]


def compute(
    *,
    selection: Mapping[str, Any],
    configurations: pl.DataFrame,
    sweep_per_query: Frames,
    candidates: pl.DataFrame,
    candidate_queries: pl.DataFrame,
    pool: pl.DataFrame,
    splits: pl.DataFrame,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    dev_judgments: pl.DataFrame,
    test_judgments: pl.DataFrame,
    ledger: Sequence[Opening],
    recorded: Mapping[str, RecordedRun] | None = None,
    params: Params,
) -> Evaluation:
    """Ranks every system, and measures and compares them on what may be looked at.

    Dev always; the test only where the ledger has an opening of this test set for this
    selection. Under crossfit `dev` is in-sample with the final configuration, and `test` is held
    out: each fold's queries with what was chosen without them.

    Args:
        selection: the content of selection.json.
        configurations: CONFIGURATIONS, every point that was tried.
        sweep_per_query: SWEEP_PER_QUERY, whole or in pieces, for a check that both roads give the
            same values.
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        pool: POOL.
        splits: SPLITS.
        documents: DOCUMENTS.
        queries: QUERIES.
        dev_judgments: resolved judgments of the dev side.
        test_judgments: resolved judgments of the test side.
        ledger: the record of openings, in its order.
        recorded: branch to its whole recorded run: it tells how deep missed evidence lies below
            the branch's own depth.
        params: the study's parameters.

    Returns:
        The tables, empty where there is nothing to measure, and the summary.
    """
    state = seal(selection, ledger, params.evaluation.alpha)
    labels = {DEV: dev_judgments, TEST: test_judgments}
    declared = frozenset(queries["slices"].explode().drop_nulls())
    parts = [
        _with_derived_slices(part, documents, candidates, declared, params)
        for part in visible_parts(queries, splits, labels, state, params)
    ]
    final = final_choice(selection)
    shipped = rank_shipped(final, candidates, params)
    held_out = None if state.sealed else _held_out(selection, candidates, splits, params)
    lists = {DEV: shipped, TEST: held_out or shipped}
    world = _World(
        candidates=candidates,
        candidate_queries=candidate_queries,
        documents=documents,
        pool=pool,
        rates=rates_of(shipped.runs, _must_beat(shipped), parts[0]),
        beyond=beyond_depth(recorded or {}, documents, params),
        depths=known_depths(candidates, recorded or {}, params),
        folds=dict(splits.select("query_id", "fold").iter_rows()),
    )
    # Products of many draws and few columns: more threads only wait for each other.
    with LinearAlgebra().on_one_thread():
        evaluated = [_evaluate(part, lists[part.split], world, params) for part in parts]
    return Evaluation(
        runs=_runs(shipped, held_out, evaluated, params),
        systems=_joined(evaluated, lambda one: one.systems, SYSTEMS),
        per_query=_joined(evaluated, lambda one: one.per_query, PER_QUERY),
        comparisons=_joined(evaluated, lambda one: one.comparisons, COMPARISONS),
        complementarity=_joined(evaluated, lambda one: one.complementarity, COMPLEMENTARITY),
        bounds=_joined(evaluated, lambda one: one.bounds, BOUNDS),
        equal_work=_joined(evaluated, lambda one: one.equal_work, EQUAL_WORKS),
        branch_value=_joined(evaluated, lambda one: one.branch_value, BRANCH_VALUE),
        agreement=_joined(evaluated, lambda one: one.agreement, AGREEMENT),
        slices=_joined(evaluated, lambda one: _slice_members(one.part), SLICE_MEMBERS),
        traces=_joined(evaluated, lambda one: one.traces, TRACES),
        diagnosis=_joined(evaluated, lambda one: one.diagnosis, DIAGNOSIS),
        critical=_joined(evaluated, lambda one: one.critical.table, CRITICAL),
        pool_bias=_joined(evaluated, lambda one: one.pool_bias, POOL_BIAS),
        contexts=contexts(final.selected, candidates, params),
        summary=summarise(
            evaluated,
            state,
            splits=splits,
            documents=documents,
            pool=pool,
            sweep=_sweep_figures(selection, configurations, sweep_per_query, evaluated),
            candidate_queries=candidate_queries,
            params=params,
        ),
    )


def _with_derived_slices(
    part: Part,
    documents: pl.DataFrame,
    candidates: pl.DataFrame,
    declared: frozenset[str],
    params: Params,
) -> Part:
    known = Known(
        queries=part.queries,
        documents=documents,
        relevant=part.relevant(params.collection.rel),
        candidates=candidates.filter(
            pl.col("branch").is_in(list(params.fused_branches))
            & pl.col("query_id").is_in(list(part.ranked))
        ),
        depth=params.context.depth,
        declared=declared,
        params=params.evaluation.slices,
    )
    return replace(part, slices=with_derived(part.slices, part.ranked, known))


def _slice_members(part: Part) -> pl.DataFrame:
    inside = part.slices.members().filter(pl.col("slice") != ALL_QUERIES)
    return inside.select(
        pl.lit(part.split).alias("split"),
        "slice",
        "query_id",
        pl.col("slice").is_in(sorted(part.slices.derived)).alias("derived"),
    )


def _sweep_figures(
    selection: Mapping[str, Any],
    configurations: pl.DataFrame,
    sweep_per_query: Frames,
    evaluated: Sequence[Evaluated],
) -> dict[str, object]:
    frozen = selection.get("configuration") or {}
    dev = pl.concat([one.per_query for one in evaluated if one.part.split == DEV])
    gap = sweep_gap(dev, sweep_per_query, str(frozen.get("id")), system=SELECTED)
    return {"configurations": configurations.height, "largest_gap": gap}


def _held_out(
    selection: Mapping[str, Any], candidates: pl.DataFrame, splits: pl.DataFrame, params: Params
) -> Rankings | None:
    folds = fold_choices(selection)
    if not folds:
        return None
    return rank_held_out(folds, final_choice(selection), candidates, splits, params)


def _evaluate(part: Part, lists: Rankings, world: _World, params: Params) -> Evaluated:
    candidates = world.candidates
    with_labels, per_query = _with_diagnostics(part, lists, candidates, params)
    fused = candidates.filter(pl.col("branch").is_in(list(params.fused_branches)))
    must_beat = _must_beat(lists)
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


def _must_beat(lists: Rankings) -> list[str]:
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


def _retrieved(part: Part, lists: Rankings, world: _World) -> Retrieved:
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


def _runs(
    shipped: Rankings,
    held_out: Rankings | None,
    evaluated: Sequence[Evaluated],
    params: Params,
) -> pl.DataFrame:
    """All lists once: shipped ones, held-out ones under their own names, diagnostics."""
    diagnostics = [
        one.runs.filter(pl.col("system").is_in([ORACLE_UNION, BEST_BRANCH_PER_QUERY]))
        for one in evaluated
    ]
    chosen = [] if held_out is None else [chosen_lists(held_out, params)]
    # Under crossfit both parts hold the same queries, and the labels make the same lists.
    key = list(RUNS.key)
    frames = pl.concat([shipped.runs, *chosen, *diagnostics])
    return RUNS.check(frames.unique(key, keep="first", maintain_order=True))


def _joined(
    evaluated: Sequence[Evaluated], field: Callable[[Evaluated], pl.DataFrame], table: Table
) -> pl.DataFrame:
    return table.check(pl.concat([table.empty(), *(field(one) for one in evaluated)]))
