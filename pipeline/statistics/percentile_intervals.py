"""How sure a percentile of measured times is, and a ratio of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.statistics.percentiles import percentile
from pipeline.statistics.seeds import named_generator

Reals = npt.NDArray[np.float64]

# What `percentile` computes, in numpy's words.
METHOD = "inverted_cdf"

RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its one-sided 1 − α bounds; None where the calls give no bound."""

    value: float
    low: float | None
    high: float | None


def percentile_interval(values: Sequence[float], share: int, alpha: float) -> Estimate:
    """A percentile between two order statistics, free of any assumption on the distribution.

    The number of calls below the true percentile is binomial; from it follow the places of the
    bounds (scipy.stats.quantile_test). Calls are taken as independent; a machine that is busy for
    a while makes them less so, and the interval then too narrow.

    Args:
        values: at least one.
        share: percent, above 0 and below 100.
        alpha: one-sided.
    """
    from scipy.stats import quantile_test

    tested = quantile_test(np.asarray(values, dtype=np.float64), p=share / 100)
    # Each side has α: the two together leave out 2α.
    bounds = tested.confidence_interval(1 - 2 * alpha)
    return Estimate(percentile(values, share), _real(bounds.low), _real(bounds.high))


def ratio_interval(
    ours: Sequence[float],
    theirs: Sequence[float],
    share: int,
    alpha: float,
    *,
    seed: int,
    names: Sequence[str],
    together: int = 1,
) -> Estimate | None:
    """The ratio of two systems' percentiles over the same calls, by a paired bootstrap.

    Calls are drawn in pairs (the same query, one right after the other), so that a slow query or
    a busy moment weighs on both (scipy.stats.bootstrap, percentile method). Calls that were made
    at the same moment wait for each other, so they are drawn together.

    Args:
        ours: the numerator's calls.
        theirs: the denominator's, at the same places.
        share: percent, above 0 and below 100.
        alpha: one-sided.
        seed: the study's.
        names: what is drawn for.
        together: how many calls were made at one moment; they follow each other.

    Returns:
        None where the denominator's percentile is 0.
    """
    from scipy.stats import bootstrap

    below = percentile(theirs, share)
    if below <= 0:
        return None
    value = percentile(ours, share) / below
    rounds = len(ours) // together
    if rounds < 2 or rounds * together != len(ours):
        return Estimate(value, None, None)
    a, b = (np.asarray(one, dtype=np.float64).reshape(rounds, together) for one in (ours, theirs))

    def ratio(drawn: Any, axis: int = -1) -> Any:
        top, bottom = (_percentiles(one, drawn, share) for one in (a, b))
        return top / bottom

    drawn = bootstrap(
        (np.arange(rounds),),
        ratio,
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, 1_000_000 // len(ours)),
        confidence_level=1 - 2 * alpha,
        method="percentile",
        rng=named_generator(seed, "latency", *names),
    ).confidence_interval
    return Estimate(value, _real(drawn.low), _real(drawn.high))


def _percentiles(calls: Reals, drawn: Any, share: int) -> Any:
    """One percentile for each row of drawn rounds."""
    rows = calls[drawn].reshape(*np.shape(drawn)[:-1], -1)
    percent: Any = np.percentile
    return percent(rows, share, axis=-1, method=METHOD)


def _real(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None
