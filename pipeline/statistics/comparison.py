"""A system against a baseline: paired by query, clustered by query group."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.errors import ContractError, ParameterError, first_three
from pipeline.statistics import power
from pipeline.statistics.bootstrap import BootstrapBounds, bootstrap_bounds, resample
from pipeline.statistics.groups import Grouped, Groups, Values, group_numbers
from pipeline.statistics.seeds import named_generator
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


def paired_comparison(
    values: pl.DataFrame,
    *,
    system: str,
    baseline: str,
    groups: Groups,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """Compares two systems on the same queries.

    Args:
        values: system, query_id, value, of one measure; null where it is undefined. Further
            systems are passed over.
        system: the one that should be better.
        baseline: the other one.
        groups: query id to group id, or query_id, group_id.
        alpha: one-sided, between 0 and 0.5.
        resamples: bootstrap samples.
        seed: the study's seed; the draws depend on it, on `system` and on `baseline`. For
            draws that differ by measure or slice too, give `named_seed(seed, measure, slice)`.

    Returns:
        The comparison over the queries where both values are defined.

    Raises:
        ContractError: a column is missing, a system has no rows, a query stands twice or for
            one of the two systems only, a value is NaN or infinite, a query has no group.
        ParameterError: alpha or resamples out of range.
    """
    pairs = _pairs(values, system, baseline)
    numbers = group_numbers(pairs["query_id"].to_list(), groups)
    return compare_differences(
        pairs["difference"].to_numpy(),
        numbers,
        alpha=alpha,
        resamples=resamples,
        generator=named_generator(seed, "comparison", system, baseline),
    )


def compare_differences(
    differences: Values,
    groups: np.ndarray[tuple[int], np.dtype[np.int64]],
    *,
    alpha: float,
    resamples: int,
    generator: np.random.Generator,
) -> Comparison:
    """The comparison of paired differences that are at hand as arrays.

    Args:
        differences: system − baseline, one per query.
        groups: group number of each query: 0, 1, … in order of first appearance.
        alpha: one-sided, between 0 and 0.5.
        resamples: bootstrap samples.
        generator: where the draws come from.

    Raises:
        ParameterError: alpha or resamples out of range.
    """
    _check(alpha, resamples)
    if not len(differences):
        return _summary(None, "no queries", alpha, Interval())
    data = Grouped.of(differences, groups)
    reason = _degenerate(data)
    if reason:
        return _summary(data, reason, alpha, DEGENERATE[reason])
    drawn = resample(data, resamples, generator)
    return _summary(data, "", alpha, _interval(data, alpha, bootstrap_bounds(data, drawn, alpha)))


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
    if data.size < 2:
        return "one group"
    if not np.any(data.values):
        return "no difference"
    return "no spread" if data.standard_error == 0.0 else ""


def _interval(data: Grouped, alpha: float, boot: BootstrapBounds) -> Interval:
    t = t_bounds(data.mean, data.standard_error, data.size, alpha)
    wider = boot.t is not None and data.size < MANY_GROUPS
    gate = (min(t[0], boot.t[0]), max(t[1], boot.t[1])) if boot.t and wider else t
    p = two_sided_p(data.mean, data.standard_error, data.size)
    return Interval(gate, t, boot.t or (None, None), boot.percentile, boot.bca or (None, None), p)


def _summary(data: Grouped | None, reason: str, alpha: float, bounds: Interval) -> Comparison:
    values = np.empty(0) if data is None else data.values
    rest = np.empty(0) if data is None else data.leave_one_out
    error = data.standard_error if data is not None and data.size > 1 else None
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
        groups=0 if data is None else data.size,
        nonzero_groups=0 if data is None else data.nonzero,
        standard_error=error,
        detectable=None
        if data is None
        else power.smallest_detectable(error or 0.0, data.size, alpha),
        largest_group_share=None if data is None else data.largest_share,
        design_effect=None if data is None else data.design_effect,
        leave_one_out=(float(rest.min()), float(rest.max())) if len(rest) else None,
        degenerate=reason,
        alpha=alpha,
    )


def _pairs(values: pl.DataFrame, system: str, baseline: str) -> pl.DataFrame:
    sides = [_side(values, name) for name in (system, baseline)]
    both = sides[0].join(sides[1], on="query_id", how="full", coalesce=True, suffix="_baseline")
    lonely = both.filter(pl.any_horizontal(pl.col("there", "there_baseline").is_null()))
    if lonely.height:
        raise ContractError(
            f"{system!r} and {baseline!r} are not measured on the same queries",
            found=f"only one of them has {first_three(lonely['query_id'].sort().to_list())}",
            expected="a row for both (0 where nothing was returned, null where undefined)",
        )
    return (
        both.with_columns(difference=pl.col("value") - pl.col("value_baseline"))
        .drop_nulls("difference")
        .sort("query_id")
    )


def _side(values: pl.DataFrame, system: str) -> pl.DataFrame:
    missing = {"system", "query_id", "value"} - set(values.columns)
    if missing:
        raise ContractError("wrong columns", where="values", found=f"missing {sorted(missing)}")
    rows = values.filter(pl.col("system") == system).select("query_id", "value", there=True)
    if not rows.height:
        raise ContractError(
            f"no values of {system!r}",
            found=first_three(values["system"].unique().sort().to_list()),
        )
    if rows["query_id"].is_duplicated().any():
        raise ContractError(f"a query of {system!r} has several values", expected="one measure")
    if not rows["value"].cast(pl.Float64).is_finite().fill_null(True).all():
        raise ContractError(f"values of {system!r} are NaN or infinite", expected="numbers or null")
    return rows
