"""The stages of a bare study from the sweep on, each on what the earlier ones returned."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline import decision as decision_stage
from pipeline import evaluation as evaluation_stage
from pipeline import operations as operations_stage
from pipeline import selection as selection_stage
from pipeline import sweep as sweep_stage
from pipeline.decision import DecisionResult
from pipeline.evaluation import Evaluation
from pipeline.ledger import Opening, opening_line, parse_ledger
from pipeline.operations import Operations
from pipeline.params import Params
from pipeline.recorded import recorded_snapshots, recorded_times
from pipeline.selection import Selection
from pipeline.study.prepared import Prepared
from pipeline.sweep import Sweep

UNDATED = "1970-01-01T00:00:00+00:00"  # a bare study keeps no ledger, so no day is written


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
        depth_recall=swept.depth_recall,
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
        recorded=prepared.recorded_runs(params),
        document_vectors=prepared.document_vectors(params),
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
    runs = prepared.recorded_runs(params)
    return operations_stage.compute(
        documents=prepared.snapshot.documents,
        queries=prepared.snapshot.queries,
        splits=prepared.splits.splits,
        candidates=prepared.candidates,
        candidate_queries=prepared.candidate_queries,
        probes=prepared.probes(),
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
        recorded_times=recorded_times(runs),
        recorded_snapshots=recorded_snapshots(runs),
        params=params,
    )


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
