"""Bootstrap-t, percentile and BCa bounds of a mean, from its group bootstrap samples."""

from dataclasses import dataclass

import numpy as np

from pipeline.statistics.groups import EQUAL, Grouped, Values
from pipeline.statistics.resampling import Resampled


@dataclass(frozen=True, slots=True)
class BootstrapBounds:
    """One-sided 1 − α bounds; None where there are too few groups to give one."""

    t: tuple[float, float] | None
    percentile: tuple[float, float]
    bca: tuple[float, float] | None


def bootstrap_bounds(data: Grouped, drawn: Resampled, alpha: float) -> BootstrapBounds:
    """Bounds of the mean by all three methods (Efron & Tibshirani 1993, chapters 12–14).

    Args:
        data: values by group, with some spread.
        drawn: as from `resample`.
        alpha: one-sided.
    """
    means = data.mean + drawn.shifts
    levels = (alpha, 1 - alpha)
    bca = _bca_levels(data, means, levels)
    percentile, adjusted = _between(means, levels, bca or levels)
    return BootstrapBounds(_studentised(data, drawn, levels), percentile, adjusted if bca else None)


Levels = tuple[float, float]


def _studentised(data: Grouped, drawn: Resampled, levels: Levels) -> tuple[float, float] | None:
    scores = _scores(drawn)
    ((low, high),) = _between(scores, levels)
    if not np.isfinite([low, high]).all():
        return None
    error = data.standard_error
    return data.mean - high * error, data.mean - low * error


def _scores(drawn: Resampled) -> Values:
    """Shifts in their own standard errors."""
    if drawn.errors.all():
        return drawn.shifts / drawn.errors
    # A sample without spread has no finite t, unless it did not move either.
    still = np.abs(drawn.shifts) <= EQUAL
    edge = np.where(still, 0.0, np.copysign(np.inf, drawn.shifts))
    return np.divide(drawn.shifts, drawn.errors, out=edge, where=drawn.errors > 0)


def _bca_levels(data: Grouped, means: Values, levels: Levels) -> Levels | None:
    from scipy import special

    mean, rest = data.mean, data.leave_one_out
    twice = np.count_nonzero(means < mean) + np.count_nonzero(means <= mean)
    below = float(twice / (2 * len(means)))
    moves = rest.mean() - rest
    scale = float((moves**2).sum()) ** 1.5
    if scale == 0.0 or not 0.0 < below < 1.0:
        return None
    acceleration = float((moves**2 * moves).sum() / (6.0 * scale))
    bias = float(special.ndtri(below))
    low, high = (_bca_level(level, bias, acceleration) for level in levels)
    return low, high


def _bca_level(level: float, bias: float, acceleration: float) -> float:
    from scipy import special

    shifted = bias + float(special.ndtri(level))
    return float(special.ndtr(bias + shifted / (1.0 - acceleration * shifted)))


def _between(values: Values, *pairs: Levels) -> list[tuple[float, float]]:
    """Order statistics: where a level falls between two, the lower one's outer neighbour below,
    the higher one's above. Only these places are put in order.
    """
    last = len(values) - 1
    places = [(int(np.floor(low * last)), int(np.ceil(high * last))) for low, high in pairs]
    ordered = np.partition(values, sorted({place for pair in places for place in pair}))
    return [(float(ordered[low]), float(ordered[high])) for low, high in places]
