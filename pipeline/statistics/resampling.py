"""Means of group bootstrap samples, for all that is compared on the same query groups at once.

Resampling is a product of matrices: how often each group is drawn in each resample, times each
group's share of every sum. One plan of draws serves all systems and measures on the same groups.
The shares are rounded to so few bits that a sum over all draws is exact in 64-bit floats: its
value does not depend on the order of summation, so every machine gives the same bytes, and what
is resampled beside others what it gives alone. Where squares are summed the bits cut off are
summed beside them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from pipeline.errors import ContractError
from pipeline.statistics.drawing import draw_counts
from pipeline.statistics.groups import EQUAL, Grouped, Values
from pipeline.threads import LinearAlgebra, in_threads, usable_cores

# Draws (resamples × groups) made at once, each such block by a generator of its own.
BLOCK = 1 << 18
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


def resample(data: Grouped, resamples: int, generator: np.random.Generator) -> Resampled:
    """Draws whole groups with replacement, as many as there are.

    Args:
        data: values by group.
        resamples: number of bootstrap samples.
        generator: where the draws come from, fresh from its seed.

    Returns:
        Mean and standard error of each sample.
    """
    return resample_all([data], resamples, generator)[0]


def resample_all(
    items: Sequence[Grouped],
    resamples: int,
    generator: np.random.Generator,
    *,
    threads: int | None = None,
) -> list[Resampled]:
    """`resample` of many on the same groups, by the same draws.

    Args:
        items: at least one, each with values of the same groups in the same order.
        resamples: number of bootstrap samples.
        generator: where the draws come from, fresh from its seed.
        threads: at most so many; as many as there are cores where None. Changes no value.

    Raises:
        ContractError: the items have different groups, or weights.
    """
    sizes = items[0].sizes
    if any(not np.array_equal(item.sizes, sizes) for item in items):
        raise ContractError("items of different query groups", expected="the same for all")
    shares = _Shares.of(items)
    rows = max(1, BLOCK // len(sizes))
    starts = range(0, resamples, rows)
    generators = generator.spawn(len(starts))
    shifts, errors = np.empty((2, len(items), resamples))

    def work(block: int) -> None:
        start = starts[block]
        some = slice(start, min(start + rows, resamples))
        counts = draw_counts(len(sizes), some.stop - start, generators[block])
        shifts[:, some], errors[:, some] = shares.resampled(counts.astype(np.float64))

    with _algebra().on_one_thread():
        list(in_threads(work, range(len(starts)), threads or usable_cores()))
    return [Resampled(*pair) for pair in zip(shifts, errors, strict=True)]


@cache
def _algebra() -> LinearAlgebra:
    return LinearAlgebra()


@dataclass(frozen=True, slots=True)
class _Shares:
    """What each group adds to the sums of every item, as whole numbers of small units.

    Args:
        columns: sums × groups.
        units: (sums, 1), what one of each is worth.
        items: how many.
        size: every group's weight, where all have the same; else None.
    """

    columns: Values
    units: Values
    items: int
    size: float | None

    @classmethod
    def of(cls, items: Sequence[Grouped]) -> "_Shares":
        sizes = items[0].sizes
        residuals = [item.residuals for item in items]
        size = float(sizes[0]) if (sizes == sizes[0]).all() else None
        # One piece of every item, then the next piece of every item.
        made = [*_pieces(residuals, 1), *_pieces([one**2 for one in residuals], 2)]
        if size is None:
            made += [*_pieces([one * sizes for one in residuals], 2)]
            made += [*_whole(sizes, 1), *_whole(sizes**2, 2)]
        columns = np.stack([column for column, _ in made])
        return cls(columns, np.array([[unit] for _, unit in made]), len(items), size)

    def resampled(self, counts: Values) -> tuple[Values, Values]:
        """(items, resamples): the mean's shift, and its error, in each resample.

        Args:
            counts: (resamples, groups), how often each group is drawn.
        """
        sums, groups = (self.columns @ counts.T) * self.units, counts.shape[1]
        own, shared = np.split(sums, [self.items * (5 if self.size is None else 3)])
        total, high, low, *crosses = own.reshape(-1, self.items, len(counts))
        squares = high + low
        if self.size is None:
            weight, square_sizes = shared[0], shared[1] + shared[2]
            crossed = crosses[0] + crosses[1]
        else:
            weight, crossed = self.size * groups, self.size * total
            square_sizes = self.size * weight
        shifts = total / weight
        spread = squares - 2.0 * shifts * crossed + shifts**2 * square_sizes
        # What is left of a difference of equal sums is rounding, not spread.
        spread[spread <= EQUAL * np.maximum(squares, EQUAL)] = 0.0
        return shifts, np.sqrt(spread * (groups / (groups - 1))) / weight


def _pieces(rows: Sequence[Values], pieces: int) -> Iterator[tuple[Values, float]]:
    """The first piece of every row, then the second."""
    cut = [list(_whole(row, pieces)) for row in rows]
    for piece in range(pieces):
        yield from (one[piece] for one in cut)


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
