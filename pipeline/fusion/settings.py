"""What a configuration and a contract share: method, weights, depths, constant, order; checked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pipeline.errors import ParameterError
from pipeline.fusion.limits import check_depth, check_rank_constant
from pipeline.fusion.methods import method_of
from pipeline.fusion.weights import normalise_weights

Weights = tuple[tuple[str, float], ...]
Depths = tuple[tuple[str, int], ...]

DEFAULT_RANK_CONSTANT = 60.0


@dataclass(frozen=True, slots=True)
class Settings:
    """Checked settings in their one form (see `settle`)."""

    method: str
    rank_constant: float | None
    weights: Weights
    depths: Depths
    order: tuple[str, ...]


def settle(
    method: str,
    *,
    rank_constant: object,
    weights: Mapping[str, float] | Weights,
    depths: Mapping[str, int] | Depths,
    order: Iterable[str] = (),
) -> Settings:
    """Settings in one form: weights above 0 with sum 1, sorted by branch; 60 and 60.0 the same.

    Raises:
        ParameterError: an unknown method; a weight, depth or rank constant that is refused;
            weights, depths and order that are not about the same branches; something the method
            does not take.
    """
    given, deep = dict(weights), dict(depths)
    normalised = normalise_weights(given)
    _check_branches(given, deep)
    names = [name for name, _ in normalised]
    limits = tuple((name, check_depth(deep[name], where=f"depths.{name}")) for name in names)
    _check_method(method, normalised)
    constant = _constant(method, rank_constant)
    return Settings(method, constant, normalised, limits, _order(method, order, names))


def _check_branches(weights: Mapping[str, float], depths: Mapping[str, int]) -> None:
    if set(weights) != set(depths):
        raise ParameterError(
            "weights and depths are not about the same branches",
            where="depths",
            found=sorted(depths),
            expected=sorted(weights),
        )


def _check_method(name: str, weights: Weights) -> None:
    method = method_of(name)
    if not method.takes_weights and len({weight for _, weight in weights}) > 1:
        raise ParameterError(
            f"{name} takes no weights",
            where="weights",
            found=dict(weights),
            expected="equal weights",
        )
    if method.own_scores and len(weights) != 1:
        raise ParameterError(
            "a branch by itself is one branch",
            where="weights",
            found=[branch for branch, _ in weights],
            expected="one branch",
        )


def _constant(name: str, value: object) -> float | None:
    if method_of(name).takes_rank_constant:
        return check_rank_constant(DEFAULT_RANK_CONSTANT if value is None else value)
    if value is not None:
        raise ParameterError(
            f"{name} takes no rank constant", where="rank_constant", found=value, expected="null"
        )
    return None


def _order(name: str, order: Iterable[str], names: list[str]) -> tuple[str, ...]:
    given = tuple(order)
    takes = method_of(name).takes_order
    if given and (not takes or sorted(given) != names):
        raise ParameterError(
            "an order of branches is refused",
            where="order",
            found=list(given),
            expected=f"each of {names} once" if takes else f"none, {name} takes no order",
        )
    # Sorted by name is what an absent order means: one form for both.
    return () if list(given) == names else given
