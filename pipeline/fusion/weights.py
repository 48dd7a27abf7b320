"""Weights of branches: what is refused, and the one form that equal weights share."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Real

from pipeline.errors import ParameterError

# Grid steps leave dust (0.30000000000000004); twelve digits are more than anyone declares.
DIGITS = 12
_NORMALISED = Fraction(1, 10**10)


def check_weights(weights: Sequence[object], *, names: Sequence[object]) -> tuple[float, ...]:
    """The weights as numbers.

    Args:
        weights: one weight per branch.
        names: what to call each weight in a refusal, in the same order.

    Returns:
        The same weights, as given.

    Raises:
        ParameterError: a weight is not a number, NaN, infinite or negative; all are zero; there
            is not one weight per branch.
    """
    if len(weights) != len(names):
        raise ParameterError(
            "not one weight per branch",
            where="weights",
            found=f"{len(weights)} weights for {len(names)} branches",
            expected=f"{len(names)} weights",
        )
    numbers = tuple(
        _check_weight(weight, name) for weight, name in zip(weights, names, strict=True)
    )
    if not any(numbers):
        raise ParameterError(
            "no active branch, all weights are 0",
            where="weights",
            found=list(numbers),
            expected="at least one weight above 0",
        )
    return numbers


def _check_weight(weight: object, name: object) -> float:
    number = isinstance(weight, Real) and not isinstance(weight, bool)
    if not number or not math.isfinite(weight) or weight < 0:  # type: ignore[arg-type, operator]
        raise ParameterError(
            "a weight is refused",
            where=f"weights.{name}",
            found=repr(weight),
            expected="a finite number, 0 or more",
        )
    return float(weight)  # type: ignore[arg-type]


def normalise_weights(weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    """Weights above 0, sorted by branch, with sum 1 to twelve significant digits.

    Weights that differ only by a factor give the same result to the last bit, and so does
    normalising twice.

    Raises:
        ParameterError: as `check_weights`.
    """
    names = sorted(weights)
    numbers = check_weights([weights[name] for name in names], names=names)
    exact = [Fraction(f"{number:.{DIGITS}g}") for number in numbers]
    total = sum(exact, Fraction(0))
    if abs(total - 1) > _NORMALISED:
        exact = [number / total for number in exact]
    rounded = [float(f"{float(number):.{DIGITS}g}") for number in exact]
    return tuple((name, weight) for name, weight in zip(names, rounded, strict=True) if weight > 0)
