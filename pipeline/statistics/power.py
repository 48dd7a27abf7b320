"""What a study of this many groups can see."""

import math
from functools import lru_cache

from pipeline.statistics.student import critical

POWER = 0.8
# Beyond this many groups the answer is "never, in practice".
MOST_GROUPS = 10_000_000


@lru_cache(maxsize=4096)
def detectable_in_errors(groups: int, alpha: float, power: float = POWER) -> float:
    """The true effect, in standard errors, that a one-sided t-test sees with this power.

    Args:
        groups: 2 or more; the test has groups − 1 degrees of freedom.
        alpha: one-sided.
        power: probability of seeing it.

    Returns:
        The noncentrality at which the noncentral t exceeds the critical value that often.
    """
    from scipy import special

    threshold = critical(alpha, groups)
    return float(special.nctdtrinc(groups - 1, 1.0 - power, threshold))


def smallest_detectable(error: float, groups: int, alpha: float) -> float | None:
    """Smallest gain beyond the margin that is seen with 80 % power; None without an error."""
    if groups < 2 or error <= 0.0:
        return None
    return error * detectable_in_errors(groups, alpha)


def groups_needed(effect: float, error: float, groups: int, alpha: float) -> int | None:
    """How many such groups would see this effect with 80 % power.

    Args:
        effect: true gain beyond the margin.
        error: standard error of the mean at `groups` groups.
        groups: that number.
        alpha: one-sided.

    Returns:
        The smallest number, 2 or more; None where the effect is not positive, the error is not
        known, or no number in practice is enough.
    """
    if effect <= 0.0 or error <= 0.0 or groups < 2:
        return None
    spread = error * math.sqrt(groups)
    low, high = 1, 2
    while not _enough(effect, spread, high, alpha):
        low, high = high, high * 2
        if high > MOST_GROUPS:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _enough(effect, spread, middle, alpha) else (middle, high)
    return high


def _enough(effect: float, spread: float, groups: int, alpha: float) -> bool:
    return effect >= detectable_in_errors(groups, alpha) * spread / math.sqrt(groups)
