"""The weights that are tried: the points into which a step cuts the simplex of branch weights."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from pipeline.errors import ParameterError

Weights = Mapping[str, int]
"""Branch to its whole number of equal shares, only where > 0."""


def weight_parts(step: float) -> int:
    """Into how many equal parts a weight step cuts the whole.

    Raises:
        ParameterError: the steps do not make a whole, as with 0.3.
    """
    parts = round(1 / step)
    if not math.isclose(1 / step, parts, rel_tol=1e-3):
        raise ParameterError(
            "the steps do not add up to 1",
            where="sweep.weight_step",
            found=step,
            expected=f"1 divided by a whole number, such as {1 / parts:.4g}",
        )
    return parts


def simplex(branches: Sequence[str], parts: int) -> Iterator[Weights]:
    """All ways of giving `parts` equal shares to branches, at least two of them having some."""
    for shares in _compositions(parts, len(branches)):
        weights = {name: share for name, share in zip(branches, shares, strict=True) if share}
        if len(weights) >= 2:
            yield weights


def simplex_points(branches: int, parts: int) -> int:
    """How many points `simplex` yields, without making them."""
    return math.comb(parts + branches - 1, branches - 1) - branches


def nearest_parts(branches: int, points: float) -> int:
    """The parts whose simplex comes nearest to a number of points; the fewer at equal distance."""
    parts = 2
    while simplex_points(branches, parts) < points:
        parts += 1
    return min(
        {max(parts - 1, 2), parts},
        key=lambda each: (abs(simplex_points(branches, each) - points), each),
    )


def even_sets(branches: Sequence[str]) -> Iterator[Weights]:
    """Every set of at least two branches, each branch with the same share."""
    for count in range(2, len(branches) + 1):
        for chosen in combinations(branches, count):
            yield dict.fromkeys(chosen, 1)


def _compositions(total: int, places: int) -> Iterator[tuple[int, ...]]:
    if places == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _compositions(total - first, places - 1):
            yield (first, *rest)
