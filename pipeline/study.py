"""The bare study: the whole chain over frames in memory, in one process.

For run files, notebooks and simulations. The same functions as the orchestrated study, in the
same order; no git, DVC, Dagster or MLflow, and no files. The test is opened at once, as a first
opening.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline import candidates as candidates_stage
from pipeline import decision as decision_stage
from pipeline import evaluation as evaluation_stage
from pipeline import operations as operations_stage
from pipeline import pool as pool_stage
from pipeline import selection as selection_stage
from pipeline import snapshot as snapshot_stage
from pipeline import splits as splits_stage
from pipeline import sweep as sweep_stage
from pipeline.candidates import BranchResult
from pipeline.collection import Collection, RecordedRun, recorded_times
from pipeline.decision import DecisionResult
from pipeline.evaluation import Evaluation
from pipeline.ledger import Opening, opening_line, parse_ledger
from pipeline.operations import Operations
from pipeline.params import DenseBranch, Params, RecordedBranch
from pipeline.pool import Pool
from pipeline.selection import Selection
from pipeline.snapshot import Snapshot
from pipeline.splits import Side, Splits, split_queries
from pipeline.sweep import Sweep

UNDATED = "1970-01-01T00:00:00+00:00"  # a bare study keeps no ledger, so no day is written


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a study knows before anything is fused.

    Args:
        snapshot: documents, queries, judgments.
        splits: queries on sides, and each side's judgments.
        branches: each branch's own lists, by name.
        candidates: CANDIDATES, all branches in one frame.
        candidate_queries: CANDIDATE_QUERIES.
        pool: what should be judged, and what is.
    """

    snapshot: Snapshot
    splits: Splits
    branches: Mapping[str, BranchResult]
    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    pool: Pool


@dataclass(frozen=True, slots=True)
class Study:
    """Every stage's result, by the stage's name."""

    prepared: Prepared
    sweep: Sweep
    selection: Selection
    evaluation: Evaluation
    operations: Operations
    decision: DecisionResult


def run_study(
    collection: Collection, params: Params, *, times: Sequence[Mapping[str, Any]] = ()
) -> Study:
    """From a collection to a decision.

    Args:
        collection: see `read_collection` and `collection_from_files`.
        params: all parameters.
        times: lines of a times record, for the latency gate.

    Returns:
        Every stage's result.

    Raises:
        RankgateError: whatever a stage refuses.
    """
    return run_prepared(prepare(collection, params), params, times=times)


def run_prepared(
    prepared: Prepared, params: Params, *, times: Sequence[Mapping[str, Any]] = ()
) -> Study:
    """The rest of a study, from the sweep to the decision.

    Args:
        prepared: as from `prepare`, with sides of the caller's choice.
        params: all parameters.
        times: as for `run_study`.
    """
    swept = sweep(prepared, params)
    selected = select(prepared, swept, params, times=times)
    ledger = opened(selected)
    evaluated = evaluate(prepared, swept, selected, params, ledger=ledger)
    operated = operate(prepared, swept, selected, evaluated, params, ledger=ledger, times=times)
    decided = decide(prepared, selected, evaluated, operated, params)
    return Study(prepared, swept, selected, evaluated, operated, decided)


def prepare(
    collection: Collection, params: Params, *, sides: Sequence[Side] | None = None
) -> Prepared:
    """Snapshot, splits, every branch's lists, the pool.

    Args:
        collection: what is studied.
        params: all parameters.
        sides: queries on sides; assigned here, by the same rule as `rankgate assign`, if None.
    """
    snapshot = snapshot_stage.of(collection, params)
    documents, queries, judgments = snapshot.documents, snapshot.queries, snapshot.judgments
    given = split_queries(queries, judgments, documents, params) if sides is None else sides
    splits = splits_stage.compute(
        documents=documents, queries=queries, judgments=judgments, sides=given, params=params
    )
    branches = {name: _retrieve(snapshot, name, params) for name in sorted(params.candidates)}
    lists = _stacked({name: branch.candidates for name, branch in branches.items()})
    states = _stacked({name: branch.queries for name, branch in branches.items()})
    pool = pool_stage.compute(
        documents=documents,
        queries=queries,
        judgments=judgments,
        splits=splits.splits,
        candidates=lists,
        candidate_queries=states,
        params=params,
    )
    return Prepared(snapshot, splits, branches, lists, states, pool)


def _retrieve(snapshot: Snapshot, branch: str, params: Params) -> BranchResult:
    declared = params.candidates[branch]
    run = declared.run if isinstance(declared, RecordedBranch) else None
    vectors = declared.vectors if isinstance(declared, DenseBranch) else None
    return candidates_stage.compute(
        documents=snapshot.documents,
        queries=snapshot.queries,
        run=snapshot.runs.get(run) if run else None,
        vectors=snapshot.vectors.get(vectors) if vectors else None,
        branch=branch,
        params=params,
    )


def _stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(
        frame.select(pl.lit(name).alias("branch"), pl.all()) for name, frame in frames.items()
    )


def sweep(prepared: Prepared, params: Params) -> Sweep:
    """Every configuration of the grid on dev."""
    return sweep_stage.compute(
        splits=prepared.splits.splits,
        dev_judgments=prepared.splits.dev_judgments,
        candidates=prepared.candidates,
        queries=prepared.snapshot.queries,
        params=params,
    )


def select(
    prepared: Prepared,
    swept: Sweep,
    params: Params,
    *,
    times: Sequence[Mapping[str, Any]] = (),
    ledger: Sequence[Opening] = (),
) -> Selection:
    """The frozen configuration."""
    return selection_stage.compute(
        configurations=swept.configurations,
        grids=swept.grids,
        results=swept.results,
        sweep_per_query=swept.per_query,
        splits=prepared.splits.splits,
        queries=prepared.snapshot.queries,
        branch_manifests={name: one.manifest for name, one in prepared.branches.items()},
        times=times,
        ledger=ledger,
        params=params,
    )


def opened(selected: Selection) -> list[Opening]:
    """A ledger in memory in which this selection is the first opening."""
    return parse_ledger([opening_line(selected.selection, opened_at=UNDATED)])


def evaluate(
    prepared: Prepared,
    swept: Sweep,
    selected: Selection,
    params: Params,
    *,
    ledger: Sequence[Opening] = (),
) -> Evaluation:
    """The frozen configuration against every baseline; sealed where the ledger lacks it."""
    return evaluation_stage.compute(
        selection=selected.selection,
        configurations=swept.configurations,
        sweep_per_query=swept.per_query,
        candidates=prepared.candidates,
        candidate_queries=prepared.candidate_queries,
        pool=prepared.pool.pool,
        splits=prepared.splits.splits,
        documents=prepared.snapshot.documents,
        queries=prepared.snapshot.queries,
        dev_judgments=prepared.splits.dev_judgments,
        test_judgments=prepared.splits.test_judgments,
        ledger=ledger,
        recorded=_recorded_runs(prepared, params),
        params=params,
    )


def operate(
    prepared: Prepared,
    swept: Sweep,
    selected: Selection,
    evaluated: Evaluation,
    params: Params,
    *,
    ledger: Sequence[Opening] = (),
    times: Sequence[Mapping[str, Any]] = (),
) -> Operations:
    """Branches dropped, forbidden evidence looked for, times read."""
    return operations_stage.compute(
        documents=prepared.snapshot.documents,
        queries=prepared.snapshot.queries,
        splits=prepared.splits.splits,
        candidates=prepared.candidates,
        candidate_queries=prepared.candidate_queries,
        probes=_stacked({name: one.probes for name, one in prepared.branches.items()}),
        pool=prepared.pool.pool,
        configurations=swept.configurations,
        selection=selected.selection,
        runs=evaluated.runs,
        contexts=evaluated.contexts,
        traces=evaluated.traces,
        diagnosis=evaluated.diagnosis,
        critical=evaluated.critical,
        dev_judgments=prepared.splits.dev_judgments,
        test_judgments=prepared.splits.test_judgments,
        ledger=ledger,
        times=times,
        recorded_times=recorded_times(_recorded_runs(prepared, params)),
        params=params,
    )


def _recorded_runs(prepared: Prepared, params: Params) -> dict[str, RecordedRun]:
    runs = prepared.snapshot.runs
    return {
        name: runs[branch.run]
        for name, branch in sorted(params.candidates.items())
        if isinstance(branch, RecordedBranch) and branch.run in runs
    }


def decide(
    prepared: Prepared,
    selected: Selection,
    evaluated: Evaluation,
    operated: Operations,
    params: Params,
) -> DecisionResult:
    """Every gate, and the word."""
    return decision_stage.compute(
        manifest=prepared.snapshot.manifest,
        selection=selected.selection,
        evaluation_summary=evaluated.summary,
        systems=evaluated.systems,
        per_query=evaluated.per_query,
        comparisons=evaluated.comparisons,
        bounds=evaluated.bounds,
        equal_work=evaluated.equal_work,
        critical=evaluated.critical,
        pool_bias=evaluated.pool_bias,
        runs=evaluated.runs,
        coverage=prepared.pool.coverage,
        faults=operated.faults,
        authorization=operated.authorization,
        metamorphic=operated.metamorphic,
        latency=operated.latency,
        latency_ratios=operated.latency_ratios,
        cost=operated.cost,
        operations_summary=operated.summary,
        queries=prepared.snapshot.queries,
        splits=prepared.splits.splits,
        params=params,
    )
