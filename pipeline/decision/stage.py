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
from pipeline.systems import SELECTED
from pipeline.tables import BESIDE_INTERVAL


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
    *, manifest: Mapping[str, Any], ledger: Sequence[Opening] = (), **results: Any
) -> DecisionResult:
    """Holds every declared gate against its limit, and says one word.

    Args:
        manifest: the snapshot's; it says what the collection lacks.
        ledger: the record of openings, in its order: it tells the limits at opening.
        results: what `Findings` holds, each by its name, the study's parameters among them.
    """
    findings = Findings(**results)
    gates = evaluate_gates(findings)
    word = word_of(gates, sealed=findings.sealed)
    changed = changed_limits(ledger, findings.selection["hashes"]["test_set"], findings.params)
    decision = {
        "word": word,
        "question": findings.params.question,
        "measure": findings.measure,
        "gates": [gate.record() for gate in gates],
        "selected": _selected(findings),
        "baselines": _baselines(findings),
        "hashes": dict(findings.selection["hashes"]),
        "openings": {
            "opening": findings.evaluation_summary.get("opening"),
            "alpha": findings.evaluation_summary.get("alpha"),
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
        *BESIDE_INTERVAL,
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
