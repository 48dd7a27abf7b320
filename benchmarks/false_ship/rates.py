"""Shares of studies, with the number of draws they rest on."""

from dataclasses import dataclass

from scipy.stats import binomtest

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of many studies did something.

    Args:
        happened: studies that did.
        studies: all of them.
    """

    happened: int
    studies: int

    @property
    def share(self) -> float:
        """The share."""
        return self.happened / self.studies

    @property
    def interval(self) -> tuple[float, float]:
        """The Monte Carlo interval (Clopper & Pearson 1934), 95 %, two-sided."""
        exact = binomtest(self.happened, self.studies).proportion_ci(CONFIDENCE, method="exact")
        return float(exact.low), float(exact.high)

    def keeps(self, limit: float) -> bool:
        """Whether the studies do not refute that the true share is at most the limit."""
        return self.interval[0] <= limit
