"""The stage `evaluation`: how the frozen configuration compares with everything it must beat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.choices import final_choice, fold_choices
from pipeline.evaluation.beyond import beyond_depth, known_depths
from pipeline.evaluation.bounds.rates import rates_of
from pipeline.evaluation.contexts import contexts
from pipeline.evaluation.diagnostics import (
    BEST_BRANCH_PER_QUERY,
    ORACLE_UNION,
)
from pipeline.evaluation.figures import Evaluated
from pipeline.evaluation.part import World, evaluate_part, must_beat_systems
from pipeline.evaluation.part_slices import slice_members, with_derived_slices
from pipeline.evaluation.rankings import (
    Rankings,
    chosen_lists,
    rank_held_out,
    rank_shipped,
    with_lists,
)
from pipeline.evaluation.summary import summarise
from pipeline.evaluation.sweep_agreement import sweep_gap
from pipeline.ledger import Opening
from pipeline.params import Params
from pipeline.parts import DEV, TEST, visible_parts
from pipeline.pieces import Frames
from pipeline.recorded import RecordedRun
from pipeline.seal import seal
from pipeline.systems import SELECTED
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
    document_vectors: pl.DataFrame | None = None,
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
        document_vectors: VECTORS of the documents by `evaluation.mmr.branch`; None: not asked for.
        params: the study's parameters.

    Returns:
        The tables, empty where there is nothing to measure, and the summary.
    """
    state = seal(selection, ledger, params.evaluation.alpha)
    labels = {DEV: dev_judgments, TEST: test_judgments}
    parts = [
        with_derived_slices(part, documents, queries, candidates, params)
        for part in visible_parts(queries, splits, labels, state, params)
    ]
    final = final_choice(selection)
    shipped = rank_shipped(final, candidates, params, document_vectors)
    held_out = (
        None if state.sealed else _held_out(selection, candidates, splits, params, document_vectors)
    )
    lists = {DEV: shipped, TEST: held_out or shipped}
    world = World(
        candidates=candidates,
        candidate_queries=candidate_queries,
        documents=documents,
        pool=pool,
        rates=rates_of(shipped.runs, must_beat_systems(shipped), parts[0]),
        beyond=beyond_depth(recorded or {}, documents, params),
        depths=known_depths(candidates, recorded or {}, params),
        folds=dict(splits.select("query_id", "fold").iter_rows()),
    )
    # Products of many draws and few columns: more threads only wait for each other.
    with LinearAlgebra().on_one_thread():
        evaluated = [evaluate_part(part, lists[part.split], world, params) for part in parts]
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
        slices=_joined(evaluated, lambda one: slice_members(one.part), SLICE_MEMBERS),
        traces=_joined(evaluated, lambda one: one.traces, TRACES),
        diagnosis=_joined(evaluated, lambda one: one.diagnosis, DIAGNOSIS),
        critical=_joined(evaluated, lambda one: one.critical.table, CRITICAL),
        pool_bias=_joined(evaluated, lambda one: one.pool_bias, POOL_BIAS),
        contexts=contexts(final.selected, candidates, params),
        summary=summarise(
            evaluated,
            world,
            state,
            splits=splits,
            sweep=_sweep_figures(selection, configurations, sweep_per_query, evaluated),
            params=params,
        ),
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
    selection: Mapping[str, Any],
    candidates: pl.DataFrame,
    splits: pl.DataFrame,
    params: Params,
    vectors: pl.DataFrame | None,
) -> Rankings | None:
    folds = fold_choices(selection)
    if not folds:
        return None
    return rank_held_out(folds, final_choice(selection), candidates, splits, params, vectors)


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
    once = pl.concat(diagnostics).unique(RUNS.key, keep="first", maintain_order=True)
    return with_lists(shipped.runs, RUNS.check(pl.concat([once, *chosen])))


def _joined(
    evaluated: Sequence[Evaluated], field: Callable[[Evaluated], pl.DataFrame], table: Table
) -> pl.DataFrame:
    return table.check(pl.concat([table.empty(), *(field(one) for one in evaluated)]))
