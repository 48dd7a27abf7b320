"""Is enough of what the systems return judged, and about equally much for each?"""

from collections.abc import Mapping

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, not_applicable, not_measured, whole
from pipeline.gates.wording import judge_test
from pipeline.ledger import TESTED
from pipeline.params import CoverageLimit
from pipeline.systems import SELECTED


def coverage(findings: Findings) -> Gate | None:
    """The coverage gate: the least judged share at the primary cutoff, and the widest gap.

    Args:
        findings: the study's measurements; `decision.coverage` declares both limits.

    Returns:
        pass where every system's judged share reaches the floor and the shares lie no further
        apart than the gap; None where it was neither asked for nor measured; not_applicable
        under the regimes exhaustive and sparse.
    """
    limit = findings.params.decision.coverage
    regime = findings.params.collection.regime
    if regime != "pooled":
        return not_applicable("coverage", f"regime {regime}: unjudged evidence is not a gap")
    shares = _shares(findings)
    if not shares:
        reason = f"nothing was returned at cutoff {findings.cutoff} for any test query"
        return None if limit is None else not_measured("coverage", reason, required=True)
    limits = limit or CoverageLimit()
    parts = [_floor(shares, limits.judged), _gap(shares, limits.gap)]
    return whole("coverage", parts, required=limit is not None, unit="judged share")


def _floor(shares: Mapping[str, float], floor: float) -> Part:
    name = min(shares, key=lambda system: (shares[system], system))
    return Part(
        status="pass" if shares[name] + ROUNDING >= floor else "fail",
        reason=f"{shares[name]:.1%} of what {name} returns is judged; at least {floor:.1%} asked",
        evidence={"system": name, "judged": shares[name], "limit": floor},
        observed=shares[name],
        limit=floor,
        next=judge_test(),
    )


def _gap(shares: Mapping[str, float], limit: float) -> Part:
    low = min(shares, key=lambda system: (shares[system], system))
    high = max(shares, key=lambda system: (shares[system], system))
    gap = shares[high] - shares[low]
    return Part(
        status="pass" if gap <= limit + ROUNDING else "fail",
        reason=f"judged shares of {high} and {low} lie {gap:.1%} apart; at most {limit:.1%} asked",
        evidence={"system": high, "other": low, "gap": gap, "limit": limit},
        observed=gap,
        limit=limit,
        next=judge_test(),
    )


def _shares(findings: Findings) -> dict[str, float]:
    """By system; evaluation's once the selected configuration is among them, else the pool's.

    The pool counts without looking at a grade, so it can be shown while the test is sealed.
    """
    judged = findings.systems.filter(
        (pl.col("split") == "test")
        & (pl.col("measure") == f"Judged@{findings.cutoff}")
        & pl.col("system").is_in([SELECTED, *findings.rivals])
        & pl.col("value").is_not_null()
    ).sort("system")
    if SELECTED in judged["system"]:
        return dict(judged.select("system", "value").iter_rows())
    pooled = findings.coverage.filter(
        pl.col("split").is_in(TESTED)
        & (pl.col("cutoff") == findings.cutoff)
        & (pl.col("returned") > 0)
    ).sort("system")
    return dict(pooled.select("system", pl.col("judged") / pl.col("returned")).iter_rows())
