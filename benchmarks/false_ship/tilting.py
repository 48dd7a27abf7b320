"""Weights by which groups are drawn so that a null holds: exponential tilts.

A tilt changes how often a group is drawn and nothing about it: skew, zeros and the correlation
of configurations stay what real queries made them.
"""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import logsumexp, softmax

from benchmarks.false_ship.populations import Population, Reals

# How even the drawing must stay: effective groups (1 / Σ p²) by groups.
LEAST_EVEN = 0.4
RIDGES = tuple(float(ridge) for ridge in 10.0 ** -np.arange(0.0, 7.25, 0.25))
KEPT_SPREAD = 0.9999
LOWERINGS = 6


def tilted(excess: Reals) -> Reals | None:
    """The weights nearest to even ones (in relative entropy) under which the excess has mean 0.

    p_g ∝ exp(λ x_g) with Σ p_g x_g = 0 (Efron 1981, exponential tilting).

    Args:
        excess: (groups,), sums over the group's queries of the value less its limit.

    Returns:
        (groups,); None where all groups lie on one side of the limit, so that no weights do it.
    """
    scale = np.abs(excess).max(initial=0.0)
    if excess.min(initial=0.0) >= 0 or excess.max(initial=0.0) <= 0:
        return None
    x = excess / scale

    def mean(strength: float) -> float:
        return float(softmax(strength * x) @ x)

    reach = 1.0
    while mean(-reach) > 0 or mean(reach) < 0:
        reach *= 2.0
    weights: Reals = softmax(brentq(mean, -reach, reach, xtol=1e-12) * x)
    return weights


def evenness(weights: Reals) -> float:
    """Effective groups by groups: 1 where all are equally likely."""
    return float(1.0 / np.sum(weights**2) / len(weights))


def tilted_together(population: Population, target: float) -> Reals:
    """Weights under which every configuration's gain lies as near the target as can be.

    The dual of the tilt with one moment for each principal component of the configurations'
    differences to the best branch, and a ridge: min_λ log mean_g exp(λ·y_g) + ρ|λ|²/2. The
    smallest ridge is taken that leaves the drawing even enough. Where what is left over lies
    above the target, the aim is lowered until nothing does, if that can be had.

    Args:
        population: configurations and branches.
        target: the gain that is aimed at.

    Returns:
        (groups,); the margin that goes with them is the best gain under them.
    """
    moments = _Moments.of(population, target)
    strength, ridge = _as_near_as_can_be(moments.at(target))
    weights: Reals = softmax(strength @ moments.at(target))
    aim, tried = target, weights
    for _ in range(LOWERINGS):
        above = float(population.gains(tried).max()) - target
        if above <= 0:
            return tried
        aim -= above + 1e-6
        strength = _dual(moments.at(aim), ridge, strength)
        tried = softmax(strength @ moments.at(aim))
    return weights


def _as_near_as_can_be(moments: Reals) -> tuple[Reals, float]:
    """The strengths under the smallest ridge that leaves the drawing even enough, and the ridge."""
    strength, smallest = np.zeros(len(moments)), RIDGES[0]
    for ridge in RIDGES:
        tried = _dual(moments, ridge, strength)
        if evenness(softmax(tried @ moments)) < LEAST_EVEN:
            break
        strength, smallest = tried, ridge
    return strength, smallest


@dataclass(frozen=True, slots=True)
class _Moments:
    """Principal components, by group, of how far every configuration is above an aim.

    Args:
        gains: (components, groups), of the differences to the best branch.
        constants: (components,), of what an aim takes from each configuration alike.
        sizes: (groups,), queries.
    """

    gains: Reals
    constants: Reals
    sizes: Reals

    @classmethod
    def of(cls, population: Population, target: float) -> "_Moments":
        sums = population.sums
        points = len(population.points)
        best_branch = points + int(sums[points:].sum(axis=1).argmax())
        gains = sums[:points] - sums[best_branch]
        directions, spread, _ = np.linalg.svd(
            gains - target * population.sizes, full_matrices=False
        )
        explained = np.cumsum(spread**2) / np.sum(spread**2)
        kept = directions[:, : int((explained < KEPT_SPREAD).sum()) + 1] / np.sqrt(points)
        return cls(kept.T @ gains, kept.sum(axis=0), population.sizes)

    def at(self, aim: float) -> Reals:
        """(components, groups)."""
        above: Reals = self.gains - aim * self.constants[:, None] * self.sizes
        return above


def _dual(moments: Reals, ridge: float, start: Reals) -> Reals:
    def value(strength: Reals) -> tuple[float, Reals]:
        exponent = strength @ moments
        slope = moments @ softmax(exponent) + ridge * strength
        return float(logsumexp(exponent) + ridge / 2 * strength @ strength), slope

    found = minimize(value, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    solution: Reals = found.x
    return solution
