"""Limits of the numbers in a fusion contract."""

import math
from numbers import Integral, Real

from pipeline.errors import ParameterError

LARGEST_RANK_CONSTANT = 100_000
LARGEST_DEPTH = 1_000_000_000


def check_rank_constant(value: object) -> float:
    """The rank constant k as a float, so that 60 and 60.0 are one.

    Raises:
        ParameterError: it is not a finite number from 1 to 100,000.
    """
    number = isinstance(value, Real) and not isinstance(value, bool)
    if number and math.isfinite(value) and 1 <= value <= LARGEST_RANK_CONSTANT:  # type: ignore[arg-type, operator]
        return float(value)  # type: ignore[arg-type]
    raise ParameterError(
        "the rank constant is refused",
        where="rank_constant",
        found=repr(value),
        expected=f"a finite number from 1 to {LARGEST_RANK_CONSTANT:,}",
    )


def check_depth(value: object, *, where: str) -> int:
    """A depth (or another count) as a whole number.

    Raises:
        ParameterError: it is not a whole number from 1 to 1,000,000,000.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and 1 <= int(value) <= LARGEST_DEPTH:  # type: ignore[call-overload]
        return int(value)  # type: ignore[call-overload, no-any-return]
    raise ParameterError(
        "a depth is refused",
        where=where,
        found=repr(value),
        expected=f"a whole number from 1 to {LARGEST_DEPTH:,}",
    )
