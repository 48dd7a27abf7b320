"""Measurements of a small study, made up to hold a gate against."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from pipeline import tables
from pipeline.gates import GATES, Findings, Gate
from tests.rows import params, queries, splits, table

BRANCHES = {
    "bm25": {"kind": "recorded", "run": "bm25"},
    "dense": {"kind": "recorded", "run": "dense"},
}
MEASURE = "nDCG@5"
DECLARED = {"family": "declared", "family_tests": 1}
BASELINE = "best_branch"
GAIN, LOSS, UNSURE = (0.1, 0.05, 0.15), (-0.1, -0.15, -0.06), (0.01, -0.08, 0.1)
Bounds = tuple[float | None, float | None, float | None]


def declared(**sections: Any) -> Any:
    """Parameters with these sections; the collection is judged exhaustively unless said."""
    collection = {"path": ".", "regime": "exhaustive", **sections.pop("collection", {})}
    return params(BRANCHES, collection=collection, **sections)


def deciding(limits: Mapping[str, Any], *, regime: str = "exhaustive") -> Any:
    """Parameters with these limits in the section decision."""
    return declared(decision=limits, collection={"regime": regime})


def comparison(
    baseline: str, bounds: Bounds, *, groups: int = 40, slice_name: str = "", measure: str = MEASURE
) -> dict[str, Any]:
    """One row of COMPARISONS on the test: delta, low, high; its error is a t interval's."""
    delta, low, high = bounds
    return {
        "standard_error": None if low is None or high is None else (high - low) / 2 / 1.7,
        "system": "selected",
        "baseline": baseline,
        "split": "test",
        "slice": slice_name,
        "measure": measure,
        "delta": delta,
        "low": low,
        "high": high,
        "wins": 0,
        "losses": 0,
        "ties": 0,
        "queries": groups,
        "groups": groups,
    }


def bound(baseline: str, view: str, low: float, high: float, joining: int = 0) -> dict[str, Any]:
    """One row of BOUNDS on the test."""
    return {
        "baseline": baseline,
        "split": "test",
        "measure": MEASURE,
        "view": view,
        "delta": (low + high) / 2,
        "low": low,
        "high": high,
        "exact": joining == 0,
        "joining": joining,
    }


def findings(
    compared: Sequence[Mapping[str, Any]] = (),
    *,
    bounds: Sequence[Mapping[str, Any]] = (),
    differing: int = 40,
    sealed: bool = False,
    of: Any = None,
    **others: Any,
) -> Findings:
    """Findings of 40 test queries, each a group of its own.

    Args:
        compared: rows of COMPARISONS.
        bounds: rows of BOUNDS.
        differing: in how many queries the selected system differs from every other.
        sealed: whether the test is closed.
        of: parameters.
        others: further fields of Findings.
    """
    names = [f"q{number:02d}" for number in range(40)]
    made = Findings(
        selection={
            "configuration": {"id": "rrf", "weights": {"bm25": 0.5, "dense": 0.5}},
            "best_branch": "dense",
            "stability": "pass",
            "hashes": {"selection": "s", "test_set": "t"},
        },
        evaluation_summary={
            "sealed": sealed,
            "opening": None if sealed else 1,
            "alpha": 0.05,
        },
        systems=tables.SYSTEMS.empty(),
        per_query=_per_query(names, compared, differing),
        comparisons=table(
            tables.COMPARISONS,
            [DECLARED | {"nonzero_groups": differing, **row} for row in compared],
        ),
        bounds=table(tables.BOUNDS, [dict(row) for row in bounds]),
        equal_work=tables.EQUAL_WORKS.empty(),
        critical=tables.CRITICAL.empty(),
        pool_bias=tables.POOL_BIAS.empty(),
        runs=tables.RUNS.empty(),
        coverage=tables.COVERAGE.empty(),
        faults=tables.FAULTS.empty(),
        authorization={"applies": False, "checked": {}, "forbidden": 0, "where": []},
        metamorphic={"asked": 0, "checks": []},
        latency=tables.LATENCY.empty(),
        latency_ratios=tables.LATENCY_RATIOS.empty(),
        cost=tables.COST.empty(),
        operations_summary={"latency_missing": "no times are recorded"},
        queries=queries(dict.fromkeys(names, "?")),
        splits=splits(dict.fromkeys(names, "test")),
        params=of or declared(),
    )
    return replace(made, **others)


def asked(name: str, of: Any, **more: Any) -> Gate | None:
    """One gate, under these parameters."""
    return GATES[name](findings(of=of, **more))


def _per_query(
    names: Sequence[str], compared: Sequence[Mapping[str, Any]], differing: int
) -> pl.DataFrame:
    systems = sorted({"selected", *(str(row["baseline"]) for row in compared)})
    rows = [
        {
            "system": system,
            "split": "test",
            "query_id": name,
            "measure": measure,
            "value": 0.6 if system == "selected" and number < differing else 0.5,
        }
        for measure in sorted({str(row["measure"]) for row in compared})
        for system in systems
        for number, name in enumerate(names)
    ]
    return table(tables.PER_QUERY, rows)
