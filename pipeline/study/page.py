"""The page of a bare study: its last stage, for those who want one."""

from pipeline.params import Params
from pipeline.report import Report
from pipeline.report import compute as report
from pipeline.study.whole import Study


def page(study: Study, params: Params) -> Report:
    """The report of a bare study."""
    prepared, evaluated, operated = study.prepared, study.evaluation, study.operations
    return report(
        manifest=prepared.snapshot.manifest,
        leakage=prepared.splits.leakage,
        splits=prepared.splits.splits,
        queries=prepared.snapshot.queries,
        documents=prepared.snapshot.documents,
        coverage=prepared.pool.coverage,
        composition=prepared.pool.composition,
        configurations=study.sweep.configurations,
        grids=study.sweep.grids,
        results=study.sweep.results,
        selection=study.selection.selection,
        evaluation_summary=evaluated.summary,
        runs=evaluated.runs,
        systems=evaluated.systems,
        per_query=evaluated.per_query,
        comparisons=evaluated.comparisons,
        complementarity=evaluated.complementarity,
        bounds=evaluated.bounds,
        equal_work=evaluated.equal_work,
        branch_value=evaluated.branch_value,
        agreement=evaluated.agreement,
        slices=evaluated.slices,
        diagnosis=evaluated.diagnosis,
        critical=evaluated.critical,
        pool_bias=evaluated.pool_bias,
        faults=operated.faults,
        authorization=operated.authorization,
        forbidden=operated.forbidden,
        metamorphic=operated.metamorphic,
        latency=operated.latency,
        latency_ratios=operated.latency_ratios,
        cost=operated.cost,
        depths=operated.depths,
        operations_summary=operated.summary,
        decision=study.decision.decision,
        branch_manifests={name: branch.manifest for name, branch in prepared.branches.items()},
        params=params,
    )
