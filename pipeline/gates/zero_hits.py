"""Do more answerable queries end with nothing relevant in the context?"""

from collections.abc import Mapping

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, not_measured, whole
from pipeline.gates.interval import GROUPS, Interval, below, intervals, verdict, weakest_first
from pipeline.gates.wording import (
    OPEN,
    SEALED,
    choose_again,
    describe,
    more_groups,
    why_unresolved,
)
from pipeline.params import ToleranceLimit
from pipeline.statistics.groups import EQUAL
from pipeline.systems import SELECTED


def zero_hits(findings: Findings) -> Gate | None:
    """The zero-hits gate: the share of queries without a relevant item at the primary cutoff.

    Paired with the comparator, over answerable queries with a known relevant item. The rise in
    zero hits passes where its upper bound is under the tolerance, fails where its lower bound is
    over it. Where too few query groups differ for the interval to be believed, the exact bound
    decides instead (see `rise_at_most`). A tolerance of 0 therefore passes only where zero hits
    surely fall: that none at all will ever come is nothing that queries can show.

    Args:
        findings: the study's measurements; `decision.zero_hits` declares the tolerance.

    Returns:
        The worst comparison's verdict; None where it was neither asked for nor measured.
    """
    required = findings.params.decision.zero_hits is not None
    measure = f"ZeroHit@{findings.cutoff}"
    if findings.sealed:
        sealed = not_measured("zero_hits", SEALED, required=required, step=OPEN)
        return sealed if required else None
    compared = intervals(findings, measure=measure, baselines=findings.comparators)
    if not compared:
        step = f"Add {measure} to evaluation.measures in params.yaml and run `dvc repro`."
        absent = not_measured("zero_hits", f"{measure} was not measured", required=True, step=step)
        return absent if required else None
    parts = [_part(findings, gain, measure) for gain in weakest_first(compared)]
    return whole("zero_hits", parts, required=required, unit=measure)


def rise_at_most(lost: int, groups: int, alpha: float, *, unevenness: float = 1.0) -> float:
    """The most that zero hits rise, at one-sided level alpha, whatever they fall elsewhere.

    Clopper and Pearson's upper bound on the share of query groups that lose their hit: the
    1 - alpha quantile of Beta(lost + 1, groups - lost). Clopper, Pearson 1934, Biometrika 26,
    doi:10.1093/biomet/26.4.404.

    Args:
        lost: query groups with more zero hits than the comparator has.
        groups: query groups compared.
        alpha: one-sided level.
        unevenness: queries of the largest group over those of the mean group: so much more than
            its share of groups can a group weigh.
    """
    from scipy.special import betaincinv

    share = 1.0 if lost >= groups else float(betaincinv(lost + 1, groups - lost, 1 - alpha))
    return min(1.0, share * unevenness)


def _part(findings: Findings, gain: Interval, measure: str) -> Part:
    tolerance = (findings.params.decision.zero_hits or ToleranceLimit()).tolerance
    status = verdict(gain, -tolerance, fails=below)
    exact = _exact(findings, gain, measure) if leans_on_few(gain, status, tolerance) else None
    if exact is not None and exact < tolerance:
        status = "pass"
    return Part(
        status=status,
        reason=f"{_OPENINGS[status]} {describe(gain, measure)}; "
        f"{_why(gain, status, tolerance, exact)}",
        evidence=gain.evidence(measure) | ({} if exact is None else {"exact_high": exact}),
        observed=gain.turned(measure).delta,
        limit=tolerance,
        next=_step(findings, gain, status, -tolerance),
    )


def leans_on_few(gain: Interval, status: Status, tolerance: float) -> bool:
    """Whether only the number of groups that differ keeps the interval from passing.

    Args:
        gain: the interval of the fall of zero hits.
        status: the verdict on it.
        tolerance: the rise that is allowed.
    """
    inside = gain.low is not None and gain.low > -tolerance
    return status == "unresolved" and inside and gain.groups >= GROUPS


def _exact(findings: Findings, gain: Interval, measure: str) -> float | None:
    rows = findings.per_query.filter((pl.col("split") == "test") & (pl.col("measure") == measure))
    groups = (
        rows.filter(pl.col("system") == SELECTED)
        .join(rows.filter(pl.col("system") == gain.baseline), on="query_id", suffix="_of_baseline")
        .join(findings.splits.select("query_id", "group_id"), on="query_id")
        .group_by("group_id")
        .agg(rise=(pl.col("value") - pl.col("value_of_baseline")).sum(), queries=pl.len())
    )
    if groups.is_empty():
        return None
    alpha = float(findings.evaluation_summary.get("alpha") or findings.params.evaluation.alpha)
    uneven = groups["queries"].to_numpy().max() / groups["queries"].to_numpy().mean()
    lost = groups.filter(pl.col("rise") > EQUAL).height
    return rise_at_most(lost, groups.height, alpha, unevenness=float(uneven))


def _why(gain: Interval, status: Status, tolerance: float, exact: float | None) -> str:
    if exact is not None:
        held = "under" if status == "pass" else "not under"
        return (
            f"{gain.groups_with_a_difference} query group(s) differ, so counted exactly: a rise of "
            f"at most {exact:.4f}, {held} the {tolerance:g} allowed"
        )
    if status == "unresolved":
        return why_unresolved(gain, -tolerance, unreachable=_unreachable)
    return f"a rise of {tolerance:g} is allowed"


def _unreachable(best: float, limit: float) -> str:
    """In zero hits, not in gains: the least upper bound of the rise there could be."""
    return (
        "unresolvable: even if no query were left with a zero hit, the upper bound of the rise "
        f"would be {0.0 - best:.4f}, and it must be under {0.0 - limit:g}"  # no -0
    )


def _step(findings: Findings, gain: Interval, status: Status, limit: float) -> str | None:
    if status == "pass":
        return None
    if status == "fail":
        return choose_again(findings)
    return _DECLARE_ONE if limit == 0 else more_groups(findings, gain, limit)


_DECLARE_ONE = (
    "A tolerance of 0 passes only where zero hits surely fall: declare the rise that is "
    "acceptable, such as decision.zero_hits.tolerance: 0.01, before the test is opened."
)

_OPENINGS: Mapping[Status, str] = {
    "pass": "zero hits do not rise; closest to it against",
    "fail": "zero hits rise against",
    "unresolved": "not settled against",
}
