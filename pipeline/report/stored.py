"""What the stages stored, in one hand: what the page is made of."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.systems import PRODUCTION, SELECTED

SIDES = ("test", "dev")


@dataclass(frozen=True, slots=True)
class Stored:
    """Every result that the report reads, by the name the stages give it.

    Args:
        manifest: the snapshot's counts, hashes, and what it noticed.
        leakage: what ties the sides together.
        splits: SPLITS.
        queries: QUERIES.
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
        critical: CRITICAL, as far as operations cleared it.
        pool_bias: POOL_BIAS.
        faults: FAULTS.
        authorization: authorization.json.
        metamorphic: metamorphic.json.
        latency: LATENCY.
        latency_ratios: LATENCY_RATIOS.
        cost: COST.
        depths: DEPTHS.
        operations_summary: operations' summary: invariants, silent degradation.
        decision: decision.json.
        branch_manifests: each branch's manifest.
        documents: DOCUMENTS.
        runs: RUNS, as far as operations cleared it.
        params: the parameters the stage may look at.
    """

    manifest: Mapping[str, Any]
    leakage: Mapping[str, Any]
    splits: pl.DataFrame
    queries: pl.DataFrame
    coverage: pl.DataFrame
    composition: pl.DataFrame
    configurations: pl.DataFrame
    grids: pl.DataFrame
    results: pl.DataFrame
    selection: Mapping[str, Any]
    evaluation_summary: Mapping[str, Any]
    systems: pl.DataFrame
    per_query: pl.DataFrame
    comparisons: pl.DataFrame
    complementarity: pl.DataFrame
    bounds: pl.DataFrame
    equal_work: pl.DataFrame
    branch_value: pl.DataFrame
    agreement: pl.DataFrame
    slices: pl.DataFrame
    diagnosis: pl.DataFrame
    critical: pl.DataFrame
    pool_bias: pl.DataFrame
    faults: pl.DataFrame
    authorization: Mapping[str, Any]
    metamorphic: Mapping[str, Any]
    latency: pl.DataFrame
    latency_ratios: pl.DataFrame
    cost: pl.DataFrame
    depths: pl.DataFrame
    operations_summary: Mapping[str, Any]
    decision: Mapping[str, Any]
    branch_manifests: Mapping[str, Any]
    documents: pl.DataFrame
    runs: pl.DataFrame
    params: Params

    @property
    def sealed(self) -> bool:
        """Whether the test is still closed."""
        return bool(self.evaluation_summary.get("sealed", True))

    @property
    def side(self) -> str:
        """The side that the answer is about: the test once it is open."""
        return "dev" if self.sealed else "test"

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides with values, that of the answer first."""
        known = set(self.systems["split"])
        return tuple(side for side in SIDES if side in known)

    @property
    def measure(self) -> str:
        """The primary measure."""
        return self.params.selection.measure

    @property
    def more_is_better(self) -> bool:
        """Whether more of the primary measure is a gain."""
        return parse_measure(self.measure).higher_is_better

    @property
    def rivals(self) -> tuple[str, ...]:
        """What must be beaten: every single branch, and the production run."""
        branches = self.systems.filter(pl.col("role") == "branch")["system"]
        production = self.systems.filter(pl.col("system") == PRODUCTION)["system"]
        return tuple(sorted({*branches, *production}))

    def compared(self, *, side: str, slice_name: str = "") -> pl.DataFrame:
        """The selected configuration's comparisons on the primary measure."""
        return self.comparisons.filter(
            (pl.col("system") == SELECTED)
            & (pl.col("split") == side)
            & (pl.col("slice") == slice_name)
            & (pl.col("measure") == self.measure)
        ).sort("baseline")
