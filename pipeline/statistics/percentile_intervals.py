"""How sure a percentile of measured times is, and a ratio of two."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.statistics.dependent_calls import effective_calls
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


def percentile_interval(
    values: Sequence[float], share: int, alpha: float, *, together: int = 1
) -> Estimate:
    """A percentile between two order statistics, free of any assumption on the distribution.

    The number of independent calls below the true percentile is binomial; from it follow the
    places of the bounds (Conover 1999, 3.2). Calls depend on each other, so the places are those
    of as many independent calls as tell as much, stretched over all (Woodruff 1952, JASA 47).

    Args:
        values: at least one, in the order in which they were made.
        share: percent, above 0 and below 100.
        alpha: one-sided.
        together: how many calls were made at one moment; they follow each other.

    Returns:
        Without a bound where the calls are worth too few, or of too few moments to tell.
    """
    value = percentile(values, share)
    worth = effective_calls(values, share, alpha, together=together)
    if worth is None:
        return Estimate(value, None, None)
    ordered = sorted(values)
    low, high = bound_places(len(ordered), worth, share, alpha)
    return Estimate(
        value,
        None if low is None else ordered[low - 1],
        None if high is None else ordered[high - 1],
    )


def bound_places(
    calls: int, worth: float, share: int, alpha: float
) -> tuple[int | None, int | None]:
    """The places, from 1, of the order statistics that bound a percentile.

    X_(r) with P(B < r) ≤ α and X_(s) with P(B ≥ s) ≤ α, B binomial; in beta functions, so that
    calls can be worth a number that is not whole.

    Args:
        calls: how many there are.
        worth: as how many independent ones they count.
        share: percent, above 0 and below 100.
        alpha: one-sided.
    """
    from scipy.special import betainc

    places = np.arange(1, calls + 1) * (worth / calls)
    # P(B >= place); beyond the last whole one there is nothing left.
    reached = betainc(places, np.maximum(worth - places + 1, 1e-9), share / 100)
    low, high = np.flatnonzero(1 - reached <= alpha), np.flatnonzero(reached <= alpha)
    return (
        int(low[-1]) + 1 if low.size else None,
        int(high[0]) + 1 if high.size else None,
    )


def percentile_ratio(ours: Sequence[float], theirs: Sequence[float], share: int) -> float | None:
    """The ratio of two percentiles; None where the denominator is 0.

    Args:
        ours: the numerator's calls, at least one.
        theirs: the denominator's.
        share: percent, above 0 and below 100.
    """
    below = percentile(theirs, share)
    return percentile(ours, share) / below if below > 0 else None


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
    at the same moment wait for each other, so they are drawn together; and moments in blocks of
    consecutive ones (circular block bootstrap; Lahiri 2003, Resampling Methods for Dependent
    Data: of length n^(1/3)), for a machine that is busy stays so for a while.

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

    value = percentile_ratio(ours, theirs, share)
    if value is None:
        return None
    rounds = len(ours) // together
    if rounds < 2 or rounds * together != len(ours):
        return Estimate(value, None, None)
    a, b = (np.asarray(one, dtype=np.float64).reshape(rounds, together) for one in (ours, theirs))

    def ratio(drawn: Any, axis: int = -1) -> Any:
        blocks = _in_blocks(drawn, rounds)
        top, bottom = (_percentiles(one, blocks, share) for one in (a, b))
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


def _in_blocks(drawn: Any, rounds: int) -> Any:
    """Rounds in blocks that begin at the first of those drawn, as many rounds as there were."""
    length = max(1, round(rounds ** (1 / 3)))
    begins = drawn[..., : -(-rounds // length), None]
    blocks = (begins + np.arange(length)) % rounds
    return blocks.reshape(*np.shape(drawn)[:-1], -1)[..., :rounds]


def _percentiles(calls: Reals, drawn: Any, share: int) -> Any:
    """One percentile for each row of drawn rounds."""
    rows = calls[drawn].reshape(*np.shape(drawn)[:-1], -1)
    percent: Any = np.percentile
    return percent(rows, share, axis=-1, method=METHOD)


def _real(bound: float) -> float | None:
    return float(bound) if math.isfinite(bound) else None
