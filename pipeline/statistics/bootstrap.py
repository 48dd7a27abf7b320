"""Bootstrap by query group: bootstrap-t, percentile and BCa bounds of a mean.

Resampling is a product of matrices: how often each group is drawn in each resample, times each
group's share of every sum. One plan of draws serves all systems and measures on the same groups.
The shares are rounded to so few bits that a sum over all draws is exact in 64-bit floats: its
value does not depend on the order of summation, so all cores may work and every machine gives
the same bytes. Where squares are summed the bits cut off are summed beside them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from pipeline.errors import ContractError
from pipeline.statistics.groups import EQUAL, Grouped, Values

# Draws (resamples × groups) held at once, as 4 MB of counts.
DRAWS = 500_000
_LONG_ROW = 300  # draws; counting shorter rows one by one costs more than it saves
_EXACT_BITS = 52  # whole numbers up to 2^52 add up without rounding


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
    return resample_all([data], resamples, generator)[0]


def resample_all(
    items: Sequence[Grouped], resamples: int, generator: np.random.Generator
) -> list[Resampled]:
    """`resample` of many on the same groups, by the same draws.

    Args:
        items: at least one, each with values of the same groups in the same order.
        resamples: number of bootstrap samples.
        generator: where the draws come from.

    Raises:
        ContractError: the items have different numbers of groups.
    """
    groups = items[0].groups
    if any(item.groups != groups for item in items):
        raise ContractError("items of different query groups", expected="the same for all")
    shares = [_Shares.of(item) for item in items]
    parts: list[list[Resampled]] = [[] for _ in items]
    columns = np.concatenate([share.columns for share in shares], axis=1)
    units = np.concatenate([share.units for share in shares])
    ends = np.cumsum([share.columns.shape[1] for share in shares])[:-1]
    for counts in _plan(groups, resamples, generator):
        sums = (counts @ columns) * units
        for share, part, own in zip(shares, parts, np.split(sums, ends, axis=1), strict=True):
            part.append(share.resampled(own))
    return [
        Resampled(
            np.concatenate([chunk.shifts for chunk in part]),
            np.concatenate([chunk.errors for chunk in part]),
        )
        for part in parts
    ]


def _plan(groups: int, resamples: int, generator: np.random.Generator) -> Iterator[Values]:
    """How often each group is drawn in each resample, some resamples at a time."""
    rows = max(1, DRAWS // groups)
    for start in range(0, resamples, rows):
        some = min(rows, resamples - start)
        yield _counts(generator.integers(0, groups, size=(some, groups), dtype=np.int32), groups)


def _counts(drawn: NDArray[np.int32], groups: int) -> Values:
    """How often each group stands in each row."""
    if groups < _LONG_ROW:
        drawn += (np.arange(len(drawn), dtype=np.int32) * groups)[:, np.newaxis]
        counted = np.bincount(drawn.ravel(), minlength=drawn.size)
        return counted.reshape(drawn.shape).astype(np.float64)
    # One row and its counts stay in the nearest cache.
    counts = np.empty(drawn.shape)
    for row, own in zip(drawn, counts, strict=True):
        own[:] = np.bincount(row, minlength=groups)
    return counts


@dataclass(frozen=True, slots=True)
class _Shares:
    """What each group adds to the sums of one item, as whole numbers of small units.

    Args:
        columns: groups × sums.
        units: what one of each column is worth.
        size: every group's weight, where all have the same; else None.
        groups: how many.
    """

    columns: Values
    units: Values
    size: float | None
    groups: int

    @classmethod
    def of(cls, item: Grouped) -> "_Shares":
        residuals, sizes = item.residuals, item.sizes
        size = float(sizes[0]) if (sizes == sizes[0]).all() else None
        made = [*_whole(residuals, 1), *_whole(residuals**2, 2)]
        if size is None:
            made += [*_whole(sizes, 1), *_whole(residuals * sizes, 2), *_whole(sizes**2, 2)]
        columns = np.column_stack([column for column, _ in made])
        return cls(columns, np.array([unit for _, unit in made]), size, item.groups)

    def resampled(self, sums: Values) -> Resampled:
        """Mean and error of each resample, from its sums."""
        total, squares = sums[:, 0], sums[:, 1] + sums[:, 2]
        if self.size is None:
            weight, crossed = sums[:, 3], sums[:, 4] + sums[:, 5]
            square_sizes = sums[:, 6] + sums[:, 7]
        else:
            weight = np.full(len(total), self.size * self.groups)
            crossed, square_sizes = self.size * total, self.size * weight
        shifts = total / weight
        spread = squares - 2.0 * shifts * crossed + shifts**2 * square_sizes
        # What is left of a difference of equal sums is rounding, not spread.
        spread = np.where(spread <= EQUAL * np.maximum(squares, EQUAL), 0.0, spread)
        errors = np.sqrt(spread * self.groups / (self.groups - 1)) / weight
        return Resampled(shifts, errors)


def _whole(values: Values, pieces: int) -> Iterator[tuple[Values, float]]:
    """Values as whole numbers of a unit, what is cut off again as numbers of a smaller unit.

    As many draws of them as there are groups add up to less than 2^52, so without rounding.

    Args:
        values: one for each group.
        pieces: how many times to cut; one keeps 42 bits with 1,000 groups, two keep 84.

    Returns:
        For each piece its whole numbers and its unit, a power of two.
    """
    bits = _EXACT_BITS - int(np.ceil(np.log2(len(values))))
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    for _ in range(pieces):
        exponent -= bits
        unit = float(np.ldexp(1.0, exponent))
        whole = np.rint(values / unit) if unit else np.zeros_like(values)
        yield whole, unit
        values = values - whole * unit


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
