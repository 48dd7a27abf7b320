"""Groups of queries onto parts: close to the declared shares, strata spread, groups whole."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pipeline.errors import ParameterError, first_three
from pipeline.splits.group import Group
from pipeline.splits.sides import Part
from pipeline.splits.stratified import stratified_folds

Counts = NDArray[np.float64]


class Target:
    """What a good allocation looks like, and how far one is from it.

    Args:
        groups: all groups to be put somewhere.
        shares: the share of the queries that each part should get.
        occupied: the strata of queries that lie on the parts already.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        shares: Mapping[Part, float],
        occupied: Mapping[Part, Sequence[str]],
    ) -> None:
        lying = [stratum for strata in occupied.values() for stratum in strata]
        names = {*lying, *(stratum for group in groups for stratum in group.strata)}
        self._columns = {name: index for index, name in enumerate(sorted(names), start=1)}
        self._shares = np.array(list(shares.values()))[:, None]
        self.parts = list(shares)
        self.before = np.array([self.count(occupied.get(part, ())) for part in shares])
        self._totals = self.before.sum(axis=0) + sum(self.count(group.strata) for group in groups)
        # All queries together weigh as much as all strata together.
        self._weights = np.array([max(1, len(names)), *([1.0] * len(names))])

    def count(self, strata: Iterable[str]) -> Counts:
        """How many queries there are, then how many of each stratum."""
        counts = np.zeros(len(self._columns) + 1)
        for stratum, number in Counter(strata).items():
            counts[[0, self._columns[stratum]]] += number
        return counts

    def distance(self, counts: Counts) -> float:
        """Squared differences from the shares, over all queries and within each stratum.

        Relative to the share, as in chi-square: parts then fill evenly, and a small side does
        not get the small groups that are left over. Rounded, so that equals are equal whatever
        the order of addition.
        """
        realised = counts / np.maximum(self._totals, 1)
        excess = (realised - self._shares) ** 2 / self._shares
        return round(float((excess.sum(axis=0) * self._weights).sum()), 12)

    def counts(self, groups: Sequence[Group], proposal: Mapping[str, Part]) -> Counts:
        """Queries by part, overall and by stratum, once the groups lie as proposed."""
        counts = self.before.copy()
        for group in groups:
            counts[self.parts.index(proposal[group.id])] += self.count(group.strata)
        return counts


def allocate(
    groups: Sequence[Group],
    shares: Mapping[Part, float],
    *,
    seed: int,
    occupied: Mapping[Part, Sequence[str]] | None = None,
) -> dict[str, Part]:
    """Puts groups on parts, whole.

    Where nothing lies anywhere yet, scikit-learn's StratifiedGroupKFold makes one proposal
    (its folds merged into parts); a greedy rule, largest group first, always makes one. A
    proposal that leaves a part empty is dropped, and of the rest the closest to the shares is
    taken, overall and by stratum.

    Args:
        groups: groups with a name each; their order does not matter.
        shares: positive shares of the queries, adding up to 1.
        seed: decides among equals, together with names.
        occupied: the strata of queries that lie on the parts already.

    Returns:
        Group to part.

    Raises:
        ParameterError: fewer groups than parts that are still empty.
    """
    ordered = sorted(groups, key=lambda group: group.id)
    target = Target(ordered, shares, occupied or {})
    empty = [
        part for part, count in zip(target.parts, target.before[:, 0], strict=True) if not count
    ]
    if len(ordered) < len(empty):
        _refuse_few_groups(len(ordered), empty)
    if len(shares) == 1:
        return {group.id: target.parts[0] for group in ordered}
    proposals = [_largest_first(ordered, target, seed)]
    if len(empty) == len(shares):
        proposals += stratified_folds(ordered, shares, seed=draw(seed, "folds"))
    return min(proposals, key=lambda proposal: target.distance(target.counts(ordered, proposal)))


def draw(seed: int, name: str) -> int:
    """A number that looks random and depends on nothing but the seed and the name."""
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:4], "big")


def _largest_first(groups: Sequence[Group], target: Target, seed: int) -> dict[str, Part]:
    counts = target.before.copy()
    proposal: dict[str, Part] = {}
    by_size = sorted(groups, key=lambda group: (-len(group.strata), draw(seed, group.id), group.id))
    for index, group in enumerate(by_size):
        vacant = np.flatnonzero(counts[:, 0] == 0)
        must_fill = len(by_size) - index <= len(vacant)
        added = target.count(group.strata)
        distances = []
        for row in vacant if must_fill else range(len(target.parts)):
            tried = counts.copy()
            tried[row] += added
            distances.append((target.distance(tried), draw(seed, target.parts[row].name), int(row)))
        chosen = min(distances)[2]
        counts[chosen] += added
        proposal[group.id] = target.parts[chosen]
    return proposal


def _refuse_few_groups(groups: int, empty: Sequence[Part]) -> None:
    raise ParameterError(
        "the queries cannot be split",
        where="splits",
        found=f"{groups} query group(s) for {first_three([part.name for part in empty])}",
        expected=f"at least {len(empty)} groups",
        next_command=(
            "write splits.independent: true (rankgate init --independent) if the queries are"
            " independent of each other, declare fewer sides or folds, or add queries"
        ),
    )
