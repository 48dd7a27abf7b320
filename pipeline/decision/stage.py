"""Holds every declared gate against its limit, and says one word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.decision.limits import changed_limits, told
from pipeline.decision.notes import notes
from pipeline.decision.word import Word, next_steps, word_of
from pipeline.gates import Findings, Gate, evaluate_gates
from pipeline.ledger import Opening
from pipeline.params import Params
from pipeline.systems import SELECTED


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What the decision stage writes.

    Args:
        decision: decision.json: word, question, measure, gates, selected, baselines, hashes,
            openings, next, notes, changed_limits.
        summary: the word, each gate's status, and a table of the gates.
    """

    decision: dict[str, Any]
    summary: dict[str, object]


def compute(
    *,
    manifest: Mapping[str, Any],
    selection: Mapping[str, Any],
    evaluation_summary: Mapping[str, Any],
    systems: pl.DataFrame,
    per_query: pl.DataFrame,
    comparisons: pl.DataFrame,
    bounds: pl.DataFrame,
    equal_work: pl.DataFrame,
    critical: pl.DataFrame,
    pool_bias: pl.DataFrame,
    runs: pl.DataFrame,
    coverage: pl.DataFrame,
    faults: pl.DataFrame,
    authorization: Mapping[str, Any],
    metamorphic: Mapping[str, Any],
    latency: pl.DataFrame,
    latency_ratios: pl.DataFrame,
    cost: pl.DataFrame,
    operations_summary: Mapping[str, Any],
    queries: pl.DataFrame,
    splits: pl.DataFrame,
    ledger: Sequence[Opening] = (),
    params: Params,
) -> DecisionResult:
    """Holds every declared gate against its limit, and says one word.

    Args:
        manifest: the snapshot's; it says what the collection lacks.
        selection: selection.json.
        evaluation_summary: evaluation's summary (sealed, opening, alpha).
        systems: SYSTEMS.
        per_query: PER_QUERY.
        comparisons: COMPARISONS.
        bounds: BOUNDS.
        equal_work: EQUAL_WORKS.
        critical: CRITICAL.
        pool_bias: POOL_BIAS.
        runs: RUNS.
        coverage: COVERAGE.
        faults: FAULTS.
        authorization: authorization.json.
        metamorphic: metamorphic.json.
        latency: LATENCY.
        latency_ratios: LATENCY_RATIOS.
        cost: COST.
        operations_summary: operations' summary.
        queries: QUERIES.
        splits: SPLITS.
        ledger: the record of openings, in its order: it tells the limits at opening.
        params: the study's parameters.
    """
    findings = Findings(
        selection=selection,
        evaluation_summary=evaluation_summary,
        systems=systems,
        per_query=per_query,
        comparisons=comparisons,
        bounds=bounds,
        equal_work=equal_work,
        critical=critical,
        pool_bias=pool_bias,
        runs=runs,
        coverage=coverage,
        faults=faults,
        authorization=authorization,
        metamorphic=metamorphic,
        latency=latency,
        latency_ratios=latency_ratios,
        cost=cost,
        operations_summary=operations_summary,
        queries=queries,
        splits=splits,
        params=params,
    )
    gates = evaluate_gates(findings)
    word = word_of(gates, sealed=findings.sealed)
    changed = changed_limits(ledger, selection["hashes"]["test_set"], params)
    decision = {
        "word": word,
        "question": params.question,
        "measure": findings.measure,
        "gates": [gate.record() for gate in gates],
        "selected": _selected(findings),
        "baselines": _baselines(findings),
        "hashes": dict(selection["hashes"]),
        "openings": {
            "opening": evaluation_summary.get("opening"),
            "alpha": evaluation_summary.get("alpha"),
        },
        "next": next_steps(findings, gates, word),
        "notes": [*map(told, changed), *notes(findings, manifest)],
        "changed_limits": changed,
    }
    return DecisionResult(decision, _summary(word, gates))


def _selected(findings: Findings) -> dict[str, object] | None:
    """The frozen configuration, and its primary value on each side that may be looked at."""
    configuration = findings.selection.get("configuration")
    if configuration is None:
        return None
    values = findings.systems.filter(
        (pl.col("system") == SELECTED) & (pl.col("measure") == findings.measure)
    ).sort("split")
    return {**configuration, "values": dict(values.select("split", "value").iter_rows())}


def _baselines(findings: Findings) -> list[dict[str, object]]:
    """Every comparison on the primary measure and all queries: on the test once it is open."""
    rows = findings.comparisons.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("split") == ("dev" if findings.sealed else "test"))
        & (pl.col("slice") == "")
        & (pl.col("measure") == findings.measure)
    ).sort("baseline")
    shown = [
        "baseline",
        "split",
        "delta",
        "low",
        "high",
        "wins",
        "losses",
        "ties",
        "groups",
        "percentile_low",
        "percentile_high",
        "bca_low",
        "bca_high",
        "largest_group",
        "design_effect",
        "without_one_low",
        "without_one_high",
    ]
    values = findings.systems.filter(pl.col("measure") == findings.measure).select(
        pl.col("system").alias("baseline"), "split", "value"
    )
    return rows.select(shown).join(values, on=["baseline", "split"], how="left").to_dicts()


def _summary(word: Word, gates: Sequence[Gate]) -> dict[str, object]:
    columns = ["gate", "required", "status", "observed", "limit", "unit", "reason"]
    return {
        "word": word,
        "gates": {gate.gate: gate.status for gate in gates},
        "table": {
            "columns": columns,
            "rows": [[gate.record()[column] for column in columns] for gate in gates],
        },
    }
