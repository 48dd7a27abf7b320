"""Values by query group: the mean over queries and its cluster-robust error."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.errors import ContractError, first_three

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]
Groups = Mapping[str, str] | pl.DataFrame

# Differences this small are noise of floating point (0.7 − 0.6 − 0.1): equal, not a win.
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Grouped:
    """Values of queries, and their sums by group.

    Args:
        values: one per query.
        weights: one per query, positive; 1 each for a macro mean.
        sums: one per group, its queries' weighted values added up.
        sizes: one per group, its queries' weights added up.
        weight: all of it.
        mean: over queries.
    """

    values: Values
    weights: Values
    sums: Values
    sizes: Values
    weight: float
    mean: float

    @classmethod
    def of(cls, values: Values, groups: Numbers, weights: Values | None = None) -> "Grouped":
        """From one value, one group number and perhaps one weight per query.

        Raises:
            ContractError: a value is not finite, or a weight not positive.
        """
        weighted = np.ones(len(values)) if weights is None else weights
        if not np.isfinite(values).all() or not (np.isfinite(weighted) & (weighted > 0)).all():
            raise ContractError(
                "values cannot be averaged", expected="finite values, positive weights"
            )
        steady = np.where(np.abs(values) <= EQUAL, 0.0, values)
        _, numbers = np.unique(groups, return_inverse=True)
        parts, weight = weighted * steady, _exact_sum(weighted)
        return cls(
            steady,
            weighted,
            np.asarray(np.bincount(numbers, weights=parts), np.float64),
            np.asarray(np.bincount(numbers, weights=weighted), np.float64),
            weight,
            _exact_sum(parts) / weight if weight else math.nan,
        )

    @property
    def groups(self) -> int:
        """How many groups."""
        return len(self.sums)

    @property
    def residuals(self) -> Values:
        """Per group, the weighted sum of its queries' distances from the mean."""
        return self.sums - self.mean * self.sizes

    @property
    def standard_error(self) -> float:
        """√(G/(G−1) Σ_g (Σ_{i∈g} (d_i − mean))² / n²); 0 where no spread can be seen.

        The variance of a mean over clusters (Liang & Zeger 1986, with the G/(G−1) correction).
        """
        if self.groups < 2:
            return 0.0
        spread = _exact_sum(self.residuals**2) * self.groups / (self.groups - 1)
        error = math.sqrt(spread) / self.weight
        return error if error > EQUAL else 0.0

    @property
    def nonzero(self) -> int:
        """How many groups do not add up to 0."""
        return int((np.abs(self.sums) > EQUAL).sum())

    @property
    def largest_share(self) -> float:
        """Share of the whole weight that the largest group holds."""
        return float(self.sizes.max() / self.weight)

    @property
    def design_effect(self) -> float | None:
        """Variance by group over the variance if all queries were independent."""
        count = len(self.values)
        if count < 2 or self.standard_error == 0.0:
            return None
        distances = self.weights * (self.values - self.mean)
        alone = _exact_sum(distances**2) * count / (count - 1) / self.weight**2
        return self.standard_error**2 / alone

    @property
    def leave_one_out(self) -> Values:
        """The mean without each group in turn; empty where there is one group only."""
        if self.groups < 2:
            return np.empty(0)
        rest: Values = (self.sums.sum() - self.sums) / (self.sizes.sum() - self.sizes)
        return rest


def _exact_sum(values: Values) -> float:
    # Plain floats: fsum takes numpy's one by one at ten times the cost.
    return math.fsum(values.tolist())


def group_numbers(queries: Sequence[str], groups: Groups) -> Numbers:
    """The group of each query as a number, in order of first appearance.

    Args:
        queries: query ids.
        groups: query id to group id, or query_id, group_id.

    Raises:
        ContractError: a query has no group.
    """
    known = _mapping(groups)
    strangers = [query for query in queries if known.get(query) is None]
    if strangers:
        raise ContractError(
            "queries without a group",
            found=first_three(strangers),
            expected="one group for each query",
            next_command="rankgate assign",
        )
    numbers: dict[str, int] = {}
    return np.array(
        [numbers.setdefault(known[query], len(numbers)) for query in queries], dtype=np.int64
    )


def _mapping(groups: Groups) -> Mapping[str, str]:
    if isinstance(groups, pl.DataFrame):
        return dict(groups.select("query_id", "group_id").iter_rows())
    return groups


def query_weights(queries: Sequence[str], weights: Mapping[str, float] | None) -> Values | None:
    """The weight of each query; 1 where it has none, None where no query has one."""
    if weights is None:
        return None
    return np.array([weights.get(query, 1.0) for query in queries], dtype=np.float64)
