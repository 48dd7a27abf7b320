"""The t distribution: bounds of a mean, and its p value.

`scipy.special` has the same functions as `scipy.stats` and loads in a fraction of the time. It is
imported where it is called, beside too: half of the stages that bring these modules do without it.
"""


def critical(alpha: float, groups: int) -> float:
    """The t value that is exceeded with probability α, with groups − 1 degrees of freedom."""
    from scipy import special

    return float(-special.stdtrit(groups - 1, alpha))


def t_bounds(mean: float, error: float, groups: int, alpha: float) -> tuple[float, float]:
    """One-sided 1 − α lower and upper bound of a mean with this standard error."""
    reach = critical(alpha, groups) * error
    return mean - reach, mean + reach


def two_sided_p(mean: float, error: float, groups: int) -> float:
    """Probability of a mean at least this far from 0 if the true one were 0."""
    from scipy import special

    return float(2.0 * special.stdtr(groups - 1, -abs(mean) / error))
