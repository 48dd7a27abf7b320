"""Bootstrap by query group: bootstrap-t, percentile and BCa bounds of a mean."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from pipeline.statistics.groups import EQUAL, Grouped, Values

# Draws (resamples × groups) held at once: 2 million are 16 MB of counts.
DRAWS = 2_000_000


@dataclass(frozen=True, slots=True)
class Resampled:
    """Means of group bootstrap samples.

    Args:
        shifts: resampled mean − mean.
        errors: cluster-robust standard error within each resample; 0 where no spread is left.
    """

    shifts: Values
    errors: Values


@dataclass(frozen=True, slots=True)
class BootstrapBounds:
    """One-sided 1 − α bounds; None where there are too few groups to give one."""

    t: tuple[float, float] | None
    percentile: tuple[float, float]
    bca: tuple[float, float] | None


def resample(data: Grouped, resamples: int, generator: np.random.Generator) -> Resampled:
    """Draws whole groups with replacement, as many as there are.

    Args:
        data: values by group.
        resamples: number of bootstrap samples.
        generator: where the draws come from.

    Returns:
        Mean and standard error of each sample.
    """
    per_chunk = max(1, DRAWS // data.groups)
    chunks = [
        _chunk(data, min(per_chunk, resamples - start), generator)
        for start in range(0, resamples, per_chunk)
    ]
    return Resampled(
        np.concatenate([chunk.shifts for chunk in chunks]),
        np.concatenate([chunk.errors for chunk in chunks]),
    )


def _chunk(data: Grouped, resamples: int, generator: np.random.Generator) -> Resampled:
    size, residuals, sizes = data.groups, data.residuals, data.sizes
    drawn = generator.integers(0, size, size=(resamples, size), dtype=np.int32)
    drawn += (np.arange(resamples, dtype=np.int32) * size)[:, np.newaxis]
    times = np.bincount(drawn.ravel(), minlength=resamples * size).astype(np.float64)
    columns = (residuals, sizes, residuals**2, residuals * sizes, sizes**2)
    # einsum, not BLAS: its sums do not depend on the number of threads.
    total, weight, squares, crossed, square_sizes = (
        np.einsum("rg,g->r", times.reshape(resamples, size), column) for column in columns
    )
    shifts = total / weight
    spread = squares - 2.0 * shifts * crossed + shifts**2 * square_sizes
    # What is left of a difference of equal sums is rounding, not spread.
    spread = np.where(spread <= EQUAL * np.maximum(squares, EQUAL), 0.0, spread)
    return Resampled(shifts, np.sqrt(spread * size / (size - 1)) / weight)


def bootstrap_bounds(data: Grouped, drawn: Resampled, alpha: float) -> BootstrapBounds:
    """Bounds of the mean by all three methods (Efron & Tibshirani 1993, chapters 12–14).

    Args:
        data: values by group, with some spread.
        drawn: as from `resample`.
        alpha: one-sided.
    """
    means = data.mean + np.sort(drawn.shifts)
    return BootstrapBounds(
        t=_studentised(data, drawn, alpha),
        percentile=(_quantile(means, alpha, "lower"), _quantile(means, 1 - alpha, "higher")),
        bca=_bca(data, means, alpha),
    )


def _studentised(data: Grouped, drawn: Resampled, alpha: float) -> tuple[float, float] | None:
    # A sample without spread has no finite t, unless it did not move either.
    still = np.abs(drawn.shifts) <= EQUAL
    edge = np.where(still, 0.0, np.copysign(np.inf, drawn.shifts))
    scores = np.divide(drawn.shifts, drawn.errors, out=edge, where=drawn.errors > 0)
    scores.sort()
    low, high = _quantile(scores, alpha, "lower"), _quantile(scores, 1 - alpha, "higher")
    if not np.isfinite([low, high]).all():
        return None
    error = data.standard_error
    return data.mean - high * error, data.mean - low * error


def _bca(data: Grouped, means: Values, alpha: float) -> tuple[float, float] | None:
    below = float(((means < data.mean).sum() + (means <= data.mean).sum()) / (2 * len(means)))
    rest = data.leave_one_out
    moves = rest.mean() - rest
    scale = float((moves**2).sum()) ** 1.5
    if scale == 0.0 or not 0.0 < below < 1.0:
        return None
    bias, acceleration = float(special.ndtri(below)), float((moves**3).sum() / (6.0 * scale))
    low, high = (_bca_level(level, bias, acceleration) for level in (alpha, 1 - alpha))
    return _quantile(means, low, "lower"), _quantile(means, high, "higher")


def _bca_level(level: float, bias: float, acceleration: float) -> float:
    shifted = bias + float(special.ndtri(level))
    return float(special.ndtr(bias + shifted / (1.0 - acceleration * shifted)))


def _quantile(ordered: Values, level: float, side: str) -> float:
    """An order statistic, the outer neighbour where the level falls between two."""
    place = level * (len(ordered) - 1)
    return float(ordered[int(np.floor(place) if side == "lower" else np.ceil(place))])
