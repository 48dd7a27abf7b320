"""What unjudged evidence could still do to a difference."""

import math

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.wording import judge_critical
from pipeline.measures import parse_measure

_TURNED = {"worst": "best", "best": "worst", "low": "high", "high": "low"}


def best_high(findings: Findings, baseline: str) -> float:
    """U with unjudged evidence at its best for the selected configuration.

    Returns:
        -infinity where unjudged evidence cannot matter (regimes exhaustive and sparse),
        +infinity where the bound is not known, so that nothing fails without it.
    """
    if findings.params.collection.regime != "pooled":
        return -math.inf
    return bound(findings, baseline, "best", "high", otherwise=math.inf)


def bound(findings: Findings, baseline: str, view: str, end: str, *, otherwise: float) -> float:
    """One end of the test's gain on a baseline, under one view of unjudged evidence.

    Args:
        findings: the study's measurements; BOUNDS holds the views.
        baseline: whom the selected configuration is compared with.
        view: non_relevant, condensed, worst or best.
        end: delta, low or high.
        otherwise: the value where there is none.
    """
    sign = 1.0
    if not parse_measure(findings.measure).higher_is_better:
        # The least difference is the greatest gain.
        sign, view, end = -1.0, _TURNED.get(view, view), _TURNED.get(end, end)
    values = findings.bounds.filter(
        (pl.col("baseline") == baseline)
        & (pl.col("split") == "test")
        & (pl.col("measure") == findings.measure)
        & (pl.col("view") == view)
    ).get_column(end)
    return otherwise if values.is_empty() or values[0] is None else sign * float(values[0])


def critical_step(findings: Findings, turns: str) -> tuple[str, ...]:
    """Which few pairs of the test to judge, where a list of them was found.

    Args:
        findings: the study's measurements; CRITICAL holds the list.
        turns: pass, where L should rise over the limit; from_pass, where it could fall to it.
    """
    listed = findings.critical.filter((pl.col("split") == "test") & (pl.col("turns") == turns))
    return (judge_critical(listed.height, turns),) if listed.height else ()
