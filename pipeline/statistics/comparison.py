"""Paired differences between a system and a baseline, clustered by query group."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.errors import ParameterError
from pipeline.statistics import power
from pipeline.statistics.bootstrap import BootstrapBounds, bootstrap_bounds
from pipeline.statistics.groups import Grouped, Numbers, Values
from pipeline.statistics.resampling import resample, resample_all
from pipeline.statistics.student import t_bounds, two_sided_p

# From this many groups on the t interval decides alone.
MANY_GROUPS = 60

Bounds = tuple[float | None, float | None]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much better a system is than a baseline, and how sure that is.

    Every bound is one-sided at 1 − α. None: the data give no such figure.

    Args:
        delta: mean over queries of system − baseline; None without queries.
        low: the gate's lower bound: of t and bootstrap-t the lower below 60 groups, else t.
        high: the gate's upper bound, likewise the higher.
        t_low: cluster-robust t with groups − 1 degrees of freedom.
        t_high: likewise.
        boot_low: bootstrap-t by groups.
        boot_high: likewise.
        percentile_low: percentile bootstrap by groups; shown, decides nothing.
        percentile_high: likewise.
        bca_low: BCa bootstrap by groups; shown, decides nothing.
        bca_high: likewise.
        p: two-sided, cluster-robust t.
        wins: queries where the system is better.
        losses: queries where it is worse.
        ties: queries where both are equal.
        queries: pairs compared.
        groups: query groups.
        nonzero_groups: groups whose differences do not add up to 0.
        standard_error: cluster-robust, of delta; None below two groups.
        detectable: smallest gain beyond the margin seen with 80 % power at α.
        largest_group_share: share of the queries in the largest group.
        design_effect: variance by group over the variance of independent queries.
        leave_one_out: lowest and highest delta without one group.
        degenerate: why there is no interval ("" where there is one): `no queries`, `one group`,
            `no difference`, `no spread`.
        alpha: one-sided, as used.
    """

    delta: float | None
    low: float | None
    high: float | None
    t_low: float | None
    t_high: float | None
    boot_low: float | None
    boot_high: float | None
    percentile_low: float | None
    percentile_high: float | None
    bca_low: float | None
    bca_high: float | None
    p: float | None
    wins: int
    losses: int
    ties: int
    queries: int
    groups: int
    nonzero_groups: int
    standard_error: float | None
    detectable: float | None
    largest_group_share: float | None
    design_effect: float | None
    leave_one_out: tuple[float, float] | None
    degenerate: str
    alpha: float

    def groups_needed(self, margin: float = 0.0) -> tuple[int | None, int | None, int | None]:
        """Groups that would show the gain to exceed the margin with 80 % power.

        Args:
            margin: in the measure's units.

        Returns:
            If the true gain were `low`, `delta`, `high`; None where it does not exceed the
            margin, or nothing is known.
        """
        error = self.standard_error or 0.0
        effects = (self.low, self.delta, self.high)
        low, middle, high = (
            None
            if effect is None
            else power.groups_needed(effect - margin, error, self.groups, self.alpha)
            for effect in effects
        )
        return low, middle, high


def compare_differences(
    differences: Values,
    groups: Numbers,
    *,
    alpha: float,
    resamples: int,
    generator: np.random.Generator,
    weights: Values | None = None,
) -> Comparison:
    """The comparison of paired differences that are at hand as arrays.

    Args:
        differences: system − baseline, one per query.
        groups: group number of each query.
        alpha: one-sided, between 0 and 0.5.
        resamples: bootstrap samples.
        generator: where the draws come from.
        weights: one per query, positive; a macro mean where None.

    Raises:
        ContractError: a difference is not finite, or a weight not positive.
        ParameterError: alpha or resamples out of range.
    """
    (found,) = compare_all(
        [differences],
        groups,
        alpha=alpha,
        resamples=resamples,
        generator=generator,
        weights=weights,
    )
    return found


def compare_all(
    columns: Sequence[Values],
    groups: Numbers,
    *,
    alpha: float,
    resamples: int,
    generator: np.random.Generator,
    weights: Values | None = None,
) -> list[Comparison]:
    """`compare_differences` of many on the same queries: one plan of draws, one product.

    Each comes out as it would by itself from a generator of the same seed, to the last bit.

    Args:
        columns: for each comparison its differences, one per query.
        groups: group number of each query.
        alpha: one-sided, between 0 and 0.5.
        resamples: bootstrap samples.
        generator: where the draws come from, fresh from its seed.
        weights: one per query, positive; a macro mean where None.

    Raises:
        ContractError: a difference is not finite, or a weight not positive.
        ParameterError: alpha or resamples out of range.
    """
    _check(alpha, resamples)
    if not len(groups):
        return [_summary(None, "no queries", alpha, Interval()) for _ in columns]
    items = [Grouped.of(differences, groups, weights) for differences in columns]
    reasons = [_degenerate(item) for item in items]
    spread = [item for item, reason in zip(items, reasons, strict=True) if not reason]
    drawn = iter(resample_all(spread, resamples, generator) if spread else [])
    found = []
    for item, reason in zip(items, reasons, strict=True):
        boot = None if reason else bootstrap_bounds(item, next(drawn), alpha)
        bounds = _interval(item, alpha, boot) if boot else DEGENERATE[reason]
        found.append(_summary(item, reason, alpha, bounds))
    return found


def narrowest_bounds(data: Grouped, alpha: float) -> Bounds:
    """The gate's bounds before bootstrap-t, which can only widen them below 60 groups.

    Args:
        data: differences by group.
        alpha: one-sided.

    Returns:
        The t bounds, or what stands in for them where there is no spread.
    """
    reason = _degenerate(data)
    if reason:
        return DEGENERATE[reason].gate
    return t_bounds(data.mean, data.standard_error, data.groups, alpha)


def gate_bounds(
    data: Grouped, *, alpha: float, resamples: int, generator: np.random.Generator
) -> Bounds:
    """The gate's bounds alone, as in `Comparison.low` and `high`.

    Args:
        data: differences by group.
        alpha: one-sided.
        resamples: bootstrap samples; none are drawn where they cannot decide.
        generator: where the draws come from.
    """
    if _degenerate(data) or data.groups >= MANY_GROUPS:
        return narrowest_bounds(data, alpha)
    drawn = resample(data, resamples, generator)
    return _interval(data, alpha, bootstrap_bounds(data, drawn, alpha)).gate


@dataclass(frozen=True, slots=True)
class Interval:
    """The bounds of a comparison by every method, and its p value."""

    gate: Bounds = (None, None)
    t: Bounds = (None, None)
    boot: Bounds = (None, None)
    percentile: Bounds = (None, None)
    bca: Bounds = (None, None)
    p: float | None = None


NOTHING: Bounds = (0.0, 0.0)
# Equal everywhere is no difference (p = 1), and never beyond a margin of 0 or more; a single
# group, or the same difference everywhere, says nothing of how far the next one may be.
DEGENERATE = {
    "no difference": Interval(NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, 1.0),
    "one group": Interval(),
    "no spread": Interval(),
}


def _check(alpha: float, resamples: int) -> None:
    if not 0.0 < alpha < 0.5:
        raise ParameterError("alpha out of range", found=alpha, expected="between 0 and 0.5")
    if resamples < 1:
        raise ParameterError("too few resamples", found=resamples, expected="1 or more")


def _degenerate(data: Grouped) -> str:
    if not np.any(data.values):
        return "no difference"
    if data.groups < 2:
        return "one group"
    return "no spread" if data.standard_error == 0.0 else ""


def _interval(data: Grouped, alpha: float, boot: BootstrapBounds) -> Interval:
    t = t_bounds(data.mean, data.standard_error, data.groups, alpha)
    wider = boot.t is not None and data.groups < MANY_GROUPS
    gate = (min(t[0], boot.t[0]), max(t[1], boot.t[1])) if boot.t and wider else t
    p = two_sided_p(data.mean, data.standard_error, data.groups)
    return Interval(gate, t, boot.t or (None, None), boot.percentile, boot.bca or (None, None), p)


def _summary(data: Grouped | None, reason: str, alpha: float, bounds: Interval) -> Comparison:
    values = np.empty(0) if data is None else data.values
    rest = np.empty(0) if data is None else data.leave_one_out
    error = data.standard_error if data is not None and data.groups > 1 else None
    return Comparison(
        delta=None if data is None else data.mean,
        low=bounds.gate[0],
        high=bounds.gate[1],
        t_low=bounds.t[0],
        t_high=bounds.t[1],
        boot_low=bounds.boot[0],
        boot_high=bounds.boot[1],
        percentile_low=bounds.percentile[0],
        percentile_high=bounds.percentile[1],
        bca_low=bounds.bca[0],
        bca_high=bounds.bca[1],
        p=bounds.p,
        wins=int((values > 0).sum()),
        losses=int((values < 0).sum()),
        ties=int((values == 0).sum()),
        queries=len(values),
        groups=0 if data is None else data.groups,
        nonzero_groups=0 if data is None else data.nonzero,
        standard_error=error,
        detectable=None
        if data is None
        else power.smallest_detectable(error or 0.0, data.groups, alpha),
        largest_group_share=None if data is None else data.largest_share,
        design_effect=None if data is None else data.design_effect,
        leave_one_out=(float(rest.min()), float(rest.max())) if len(rest) else None,
        degenerate=reason,
        alpha=alpha,
    )
