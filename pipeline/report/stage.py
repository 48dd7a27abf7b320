"""The stage `report`: one page that needs no network, for people."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.clearance import cleared, cleared_pairs, refuse_uncleared
from pipeline.params import Params
from pipeline.report.blocks import Section
from pipeline.report.page import render
from pipeline.report.sections import sections
from pipeline.report.stored import Stored


@dataclass(frozen=True, slots=True)
class Report:
    """What the stage writes.

    Args:
        html: the page: one file, no request, no script.
        summary: the word, how many bytes, and a table of the sections.
    """

    html: str
    summary: dict[str, object]


def compute(
    *,
    manifest: Mapping[str, Any],
    leakage: Mapping[str, Any],
    splits: pl.DataFrame,
    queries: pl.DataFrame,
    coverage: pl.DataFrame,
    composition: pl.DataFrame,
    configurations: pl.DataFrame,
    grids: pl.DataFrame,
    results: pl.DataFrame,
    selection: Mapping[str, Any],
    evaluation_summary: Mapping[str, Any],
    systems: pl.DataFrame,
    per_query: pl.DataFrame,
    comparisons: pl.DataFrame,
    complementarity: pl.DataFrame,
    bounds: pl.DataFrame,
    equal_work: pl.DataFrame,
    branch_value: pl.DataFrame,
    agreement: pl.DataFrame,
    slices: pl.DataFrame,
    diagnosis: pl.DataFrame,
    critical: pl.DataFrame,
    pool_bias: pl.DataFrame,
    faults: pl.DataFrame,
    authorization: Mapping[str, Any],
    forbidden: pl.DataFrame,
    metamorphic: Mapping[str, Any],
    latency: pl.DataFrame,
    latency_ratios: pl.DataFrame,
    cost: pl.DataFrame,
    depths: pl.DataFrame,
    operations_summary: Mapping[str, Any],
    decision: Mapping[str, Any],
    branch_manifests: Mapping[str, Any],
    documents: pl.DataFrame,
    runs: pl.DataFrame,
    params: Params,
) -> Report:
    """The page of a study.

    Args:
        manifest: the snapshot's.
        leakage: leakage.json.
        splits: SPLITS.
        queries: QUERIES; their text is shown only where `report.text` is true.
        coverage: COVERAGE.
        composition: COMPOSITION.
        configurations: CONFIGURATIONS.
        grids: GRIDS.
        results: RESULTS.
        selection: selection.json.
        evaluation_summary: evaluation's summary.
        systems: SYSTEMS.
        per_query: PER_QUERY.
        comparisons: COMPARISONS.
        complementarity: COMPLEMENTARITY.
        bounds: BOUNDS.
        equal_work: EQUAL_WORKS.
        branch_value: BRANCH_VALUE.
        agreement: AGREEMENT.
        slices: SLICE_MEMBERS.
        diagnosis: DIAGNOSIS.
        critical: CRITICAL.
        pool_bias: POOL_BIAS.
        faults: FAULTS.
        authorization: authorization.json.
        forbidden: FORBIDDEN.
        metamorphic: metamorphic.json.
        latency: LATENCY.
        latency_ratios: LATENCY_RATIOS.
        cost: COST.
        depths: DEPTHS.
        operations_summary: operations' summary.
        decision: decision.json.
        branch_manifests: each branch's manifest, by name.
        documents: DOCUMENTS; as for queries.
        runs: RUNS.
        params: the study's parameters.
    """
    stored = Stored(
        manifest=manifest,
        leakage=leakage,
        splits=splits,
        queries=queries,
        coverage=coverage,
        composition=composition,
        configurations=configurations,
        grids=grids,
        results=results,
        selection=selection,
        evaluation_summary=evaluation_summary,
        systems=systems,
        per_query=per_query,
        comparisons=comparisons,
        complementarity=complementarity,
        bounds=bounds,
        equal_work=equal_work,
        branch_value=branch_value,
        agreement=agreement,
        slices=slices,
        diagnosis=diagnosis,
        critical=cleared_pairs(critical, forbidden, documents),
        pool_bias=pool_bias,
        faults=faults,
        authorization=authorization,
        metamorphic=metamorphic,
        latency=latency,
        latency_ratios=latency_ratios,
        cost=cost,
        depths=depths,
        operations_summary=operations_summary,
        decision=decision,
        branch_manifests=branch_manifests,
        documents=documents,
        runs=cleared(runs, authorization, forbidden),
        params=params,
    )
    refuse_uncleared(decision, forbidden, where="decision/decision.json")
    shown = sections(stored)
    html = render(stored, shown)
    return Report(html, _summary(stored, shown, html))


def _summary(stored: Stored, shown: list[Section], html: str) -> dict[str, object]:
    rows = [[one.id, one.title, len(one.blocks)] for one in shown]
    return {
        "word": stored.decision["word"],
        "bytes": len(html.encode("utf-8")),
        "text": stored.params.report.text,
        "table": {"columns": ["section", "title", "blocks"], "rows": rows},
    }
