"""Paired differences by query group: the mean over queries and its cluster-robust error."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.errors import ContractError, first_three

Values = NDArray[np.float64]
Groups = Mapping[str, str] | pl.DataFrame

# Differences this small are noise of floating point (0.7 − 0.6 − 0.1): equal, not a win.
EQUAL = 1e-12


@dataclass(frozen=True, slots=True)
class Grouped:
    """Values summed by group.

    Args:
        values: one per query.
        sums: one per group, sum of its queries' values.
        counts: one per group, number of its queries (1 or more).
    """

    values: Values
    sums: Values
    counts: Values

    @classmethod
    def of(cls, values: Values, groups: NDArray[np.int64]) -> "Grouped":
        """From one value and one group number (from 0, none left out) per query."""
        steady = np.where(np.abs(values) <= EQUAL, 0.0, values)
        return cls(
            steady,
            np.bincount(groups, weights=steady),
            np.bincount(groups, weights=np.ones(len(groups))),
        )

    @property
    def size(self) -> int:
        """How many groups."""
        return len(self.sums)

    @property
    def mean(self) -> float:
        """The macro mean over queries."""
        return math.fsum(self.values) / len(self.values)

    @property
    def residuals(self) -> Values:
        """Per group, the sum of its queries' distances from the mean."""
        return self.sums - self.mean * self.counts

    @property
    def standard_error(self) -> float:
        """√(G/(G−1) Σ_g (Σ_{i∈g} (d_i − mean))² / n²); 0 where no spread can be seen.

        The variance of a mean over clusters (Liang & Zeger 1986, with the G/(G−1) correction).
        """
        if self.size < 2:
            return 0.0
        spread = math.fsum(self.residuals**2) * self.size / (self.size - 1)
        error = math.sqrt(spread) / len(self.values)
        return error if error > EQUAL else 0.0

    @property
    def nonzero(self) -> int:
        """How many groups hold a value other than 0 in their sum."""
        return int((np.abs(self.sums) > EQUAL).sum())

    @property
    def largest_share(self) -> float:
        """Share of the queries that the largest group holds."""
        return float(self.counts.max() / len(self.values))

    @property
    def design_effect(self) -> float | None:
        """Variance by group over the variance if all queries were independent."""
        count = len(self.values)
        if count < 2 or self.standard_error == 0.0:
            return None
        alone = math.fsum((self.values - self.mean) ** 2) / (count * (count - 1))
        return self.standard_error**2 / alone

    @property
    def leave_one_out(self) -> Values:
        """The mean without each group in turn; empty where there is one group only."""
        if self.size < 2:
            return np.empty(0)
        rest: Values = (self.sums.sum() - self.sums) / (len(self.values) - self.counts)
        return rest


def group_numbers(queries: list[str], groups: Groups) -> NDArray[np.int64]:
    """The group of each query as a number, in order of first appearance.

    Args:
        queries: query ids.
        groups: query id to group id, or query_id, group_id.

    Raises:
        ContractError: a query has no group.
    """
    known = (
        dict(groups.select("query_id", "group_id").iter_rows())
        if isinstance(groups, pl.DataFrame)
        else groups
    )
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
