"""Grouped folds by scikit-learn, merged into parts."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from math import isclose

import numpy as np

from pipeline.splits.group import Group
from pipeline.splits.sides import Part

MOST_FOLDS = 20  # shares that are no multiple of 1/20 or coarser are not attempted
RARE = "(rare)"


def stratified_folds(
    groups: Sequence[Group], shares: Mapping[Part, float], *, seed: int
) -> list[dict[str, Part]]:
    """One proposal by StratifiedGroupKFold, or none.

    Args:
        groups: sorted by name.
        shares: shares that are multiples of one 1/n.
        seed: its random state.

    Returns:
        Group to part; no proposal where the shares do not allow it, where scikit-learn refuses,
        or where it leaves a part empty (it can: folds of equal cost are told apart by the last
        bit of a float).
    """
    folds = _folds(shares, len(groups))
    if folds is None:
        return []
    # Imported here: it takes seconds, and most runs of the stage split nothing.
    from sklearn.model_selection import StratifiedGroupKFold

    names = np.array([group.id for group in groups for _ in group.strata])
    splitter = StratifiedGroupKFold(folds, shuffle=True, random_state=seed)
    part_of = [part for part, share in shares.items() for _ in range(round(share * folds))]
    try:
        with warnings.catch_warnings():
            # It warns of strata smaller than the folds; the outcome is judged instead.
            warnings.simplefilter("ignore", UserWarning)
            held = [rows for _, rows in splitter.split(names, _strata(groups, folds), names)]
    except ValueError:
        return []
    proposal = {
        str(name): part for part, rows in zip(part_of, held, strict=True) for name in names[rows]
    }
    complete = len(proposal) == len(groups) and set(proposal.values()) == set(shares)
    return [proposal] if complete else []


def _strata(groups: Sequence[Group], folds: int) -> list[str]:
    strata = [stratum for group in groups for stratum in group.strata]
    counts = Counter(strata)
    return [stratum if counts[stratum] >= folds else RARE for stratum in strata]


def _folds(shares: Mapping[Part, float], groups: int) -> int | None:
    def whole(share: float, folds: int) -> bool:
        return isclose(share * folds, round(share * folds), abs_tol=1e-9)

    for folds in range(len(shares), min(MOST_FOLDS, groups) + 1):
        if all(whole(share, folds) for share in shares.values()):
            return folds
    return None
