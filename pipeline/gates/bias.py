"""Which primary comparisons turn on judgments that one branch alone brought into the pool."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Status
from pipeline.gates.interval import Interval, verdict


@dataclass(frozen=True, slots=True)
class Bias:
    """A comparison whose verdict is another without one branch's own judgments.

    Args:
        without: the branch.
        dropped: how many judgments it alone contributed.
        baseline: whom the selected configuration is compared with.
        before: the verdict with all judgments.
        status: the verdict without them.
    """

    without: str
    dropped: int
    baseline: str
    before: Status
    status: Status


def bias(findings: Findings) -> Iterator[Bias]:
    """The test's comparisons that turn, by branch and baseline.

    What unjudged evidence could do is left aside: only the judgments differ.

    Args:
        findings: the study's measurements; POOL_BIAS holds the comparisons.
    """
    rows = findings.pool_bias.filter(pl.col("split") == "test").sort("without", "baseline")
    before = {
        row["baseline"]: _status(findings, row)
        for row in rows.filter(pl.col("without") == "").iter_rows(named=True)
    }
    for row in rows.filter(pl.col("without") != "").iter_rows(named=True):
        status = _status(findings, row)
        if status != before[row["baseline"]]:
            yield Bias(
                row["without"], row["dropped"], row["baseline"], before[row["baseline"]], status
            )


def _status(findings: Findings, row: dict[str, Any]) -> Status:
    return verdict(Interval.of(row, findings.measure), findings.margin)
