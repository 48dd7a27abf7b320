"""What the gates look at: every measurement of a study, and the limits declared for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.ledger import TESTED
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.systems import BEST_BRANCH, PRODUCTION


@dataclass(frozen=True, slots=True)
class Findings:
    """The results of all earlier stages, by name.

    Args:
        selection: selection.json.
        evaluation_summary: evaluation's summary; `sealed` tells whether the test is still closed.
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
        params: the study's parameters.
    """

    selection: Mapping[str, Any]
    evaluation_summary: Mapping[str, Any]
    systems: pl.DataFrame
    per_query: pl.DataFrame
    comparisons: pl.DataFrame
    bounds: pl.DataFrame
    equal_work: pl.DataFrame
    critical: pl.DataFrame
    pool_bias: pl.DataFrame
    runs: pl.DataFrame
    coverage: pl.DataFrame
    faults: pl.DataFrame
    authorization: Mapping[str, Any]
    metamorphic: Mapping[str, Any]
    latency: pl.DataFrame
    latency_ratios: pl.DataFrame
    cost: pl.DataFrame
    operations_summary: Mapping[str, Any]
    queries: pl.DataFrame
    splits: pl.DataFrame
    params: Params

    @property
    def sealed(self) -> bool:
        """Whether the test has not been opened for this selection."""
        return bool(self.evaluation_summary["sealed"])

    @property
    def nothing_chosen(self) -> bool:
        """Whether a configuration was searched for and no dev query is judged to choose by."""
        searched = self.selection.get("mode") == "search"
        return searched and not self.selection["dev"]["queries"]

    @property
    def measure(self) -> str:
        """The primary measure."""
        return self.params.selection.measure

    @property
    def cutoff(self) -> int:
        """The primary cutoff; the depth of the context where the measure has none."""
        return parse_measure(self.measure).cutoff or self.params.context.depth

    @property
    def comparators(self) -> tuple[str, ...]:
        """What gates other than primary compare with; of several the worst counts."""
        if self.params.production is not None:
            return (PRODUCTION,)
        return (BEST_BRANCH,) if self.selection.get("best_branch") else self.params.fused_branches

    def branch_behind(self, system: str) -> str:
        """The branch whose lists a comparator shows: times are recorded under its name."""
        named = {PRODUCTION: self.params.production, BEST_BRANCH: self.selection.get("best_branch")}
        return str(named.get(system) or system)

    @property
    def rivals(self) -> tuple[str, ...]:
        """What primary compares with: every single branch, and the production run."""
        production = () if self.params.production is None else (PRODUCTION,)
        return (*self.params.fused_branches, *production)

    @property
    def margin(self) -> float:
        """What the primary difference must exceed."""
        return self.params.primary_limit

    @property
    def test_queries(self) -> pl.DataFrame:
        """`query_id` of the queries that the test is made of."""
        return self.splits.filter(pl.col("split").is_in(TESTED)).select("query_id")
