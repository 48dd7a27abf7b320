"""What unjudged evidence could still do to a difference."""

import math

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.wording import judge_critical
from pipeline.measures import parse_measure

TRIED = "bootstrap-t: least and greatest of a few assignments, no bound"
_TURNED = {"worst": "best", "best": "worst", "low": "high", "high": "low"}


def worst_low(findings: Findings, baseline: str) -> float:
    """The least L that any grades of the unjudged evidence can make, as far as it is bounded.

    Returns:
        The least of the views `worst`, `any` and `tried`; -infinity where one of the first two is
        not known, so that nothing passes without it.
    """
    tried = bound(findings, baseline, "tried", "low", otherwise=math.inf)
    known = (
        bound(findings, baseline, view, "low", otherwise=-math.inf) for view in ("worst", "any")
    )
    return min(tried, *known)


def best_high(findings: Findings, baseline: str) -> float:
    """U with unjudged evidence at its best for the selected configuration: the greatest there is.

    Returns:
        The greatest of the views `best`, `any` and `tried`;
        -infinity where unjudged evidence cannot matter (regimes exhaustive and sparse);
        +infinity where the bound is not known, so that nothing fails without it.
    """
    if findings.params.collection.regime != "pooled":
        return -math.inf
    tried = bound(findings, baseline, "tried", "high", otherwise=-math.inf)
    known = (
        bound(findings, baseline, view, "high", otherwise=math.inf) for view in ("best", "any")
    )
    return max(tried, *known)


def joining(findings: Findings, baseline: str) -> int:
    """How many test queries with nothing relevant so far grades could bring into the mean."""
    rows = _rows(findings, baseline).filter(pl.col("view") == "any")
    return int(rows["joining"].sum())


def how_bounded(findings: Findings, baseline: str) -> str:
    """What the bounds over all assignments promise: "" where there are none."""
    exact = dict(_rows(findings, baseline).select("view", "exact").iter_rows())
    if "any" not in exact:
        return ""
    sure = "t: exact over all grades" if exact["any"] else "t: outer bound over all grades"
    return f"{sure}; {TRIED}" if "tried" in exact else sure


def bound(findings: Findings, baseline: str, view: str, end: str, *, otherwise: float) -> float:
    """One end of the test's gain on a baseline, under one view of unjudged evidence.

    Args:
        findings: the study's measurements; BOUNDS holds the views.
        baseline: whom the selected configuration is compared with.
        view: non_relevant, condensed, worst, best, any or tried.
        end: delta, low or high.
        otherwise: the value where there is none.
    """
    sign = 1.0
    if not parse_measure(findings.measure).higher_is_better:
        # The least difference is the greatest gain.
        sign, view, end = -1.0, _TURNED.get(view, view), _TURNED.get(end, end)
    values = _rows(findings, baseline).filter(pl.col("view") == view).get_column(end)
    return otherwise if values.is_empty() or values[0] is None else sign * float(values[0])


def _rows(findings: Findings, baseline: str) -> pl.DataFrame:
    return findings.bounds.filter(
        (pl.col("baseline") == baseline)
        & (pl.col("split") == "test")
        & (pl.col("measure") == findings.measure)
    )


def critical_pairs(findings: Findings, turns: str) -> pl.DataFrame:
    """The few pairs of the test that could turn the gate, as CRITICAL; none where none was found.

    Args:
        findings: the study's measurements; CRITICAL holds the list.
        turns: pass, where L should rise over the limit; from_pass, where it could fall to it.
    """
    return findings.critical.filter((pl.col("split") == "test") & (pl.col("turns") == turns))


def critical_step(findings: Findings, turns: str) -> tuple[str, ...]:
    """Which few pairs of the test to judge, where a list of them was found."""
    listed = critical_pairs(findings, turns)
    return (judge_critical(listed.height, turns),) if listed.height else ()
