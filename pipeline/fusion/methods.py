"""Every fusion method by name; a new one is a new function and an entry here."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipeline.errors import ParameterError
from pipeline.fusion.combine import Combine, descending_sum, greatest, sum_times_count
from pipeline.fusion.lists import Contribution, Entries, Reals
from pipeline.fusion.rank_based import (
    RankValue,
    borda_points,
    inverse_square_rank,
    of_entries,
    own_rank,
    past_depth,
    reciprocal_rank,
)
from pipeline.fusion.score_based import minmax, theoretical_minmax, weighted, zscore
from pipeline.fusion.union import turn


def _nothing(entries: Entries) -> Reals:
    return np.zeros(len(entries.names))


@dataclass(frozen=True, slots=True)
class Method:
    """A fusion method.

    Args:
        title: its name for readers.
        formula: the score of an item, in words and signs.
        contribution: the value of each entry of each list.
        combine: how an item's contributions become its score.
        absent: per branch, the value of an item missing from its list under `past_depth`.
        needs_scores: it reads the branches' scores.
        takes_rank_constant: it has a rank constant.
        takes_weights: branches may have different weights.
        takes_order: the order of the branches is part of it.
        own_scores: its items keep the branch's own scores.
        monotone: an item never scores less than one that no list places higher, and that no list
            returned without it; false where being missing can beat being returned.
    """

    title: str
    formula: str
    contribution: Contribution
    combine: Combine = descending_sum
    absent: Contribution = _nothing
    needs_scores: bool = False
    takes_rank_constant: bool = False
    takes_weights: bool = True
    takes_order: bool = False
    own_scores: bool = False
    monotone: bool = True


def _by_rank(title: str, formula: str, value: RankValue, *, constant: bool = False) -> Method:
    return Method(
        title,
        formula,
        of_entries(value),
        absent=past_depth(value),
        takes_rank_constant=constant,
    )


def _by_score(
    title: str, formula: str, normalise: Contribution, *, monotone: bool = True
) -> Method:
    return Method(title, formula, weighted(normalise), needs_scores=True, monotone=monotone)


_MINMAX = "(s - min) / (max - min), 1 in a constant list"

METHODS: Mapping[str, Method] = {
    "rrf": _by_rank("RRF", "sum of w / (k + rank)", reciprocal_rank, constant=True),
    "isr": _by_rank("ISR", "sum of w / rank²", inverse_square_rank),
    "borda": _by_rank("Borda", "sum of w · (depth - rank + 1)", borda_points),
    "convex_minmax": _by_score("Convex, min-max", f"sum of w · {_MINMAX}", minmax),
    "convex_zscore": _by_score(
        "Convex, z-score",
        "sum of w · (s - mean) / deviation, 0 in a constant list",
        zscore,
        monotone=False,  # a score below its list's mean counts less than none
    ),
    "convex_tmm": _by_score(
        "Convex, theoretical minimum",
        "sum of w · (s - least possible) / (max - least possible), 1 where that is 0 / 0",
        theoretical_minmax,
    ),
    "combsum": Method(
        "CombSUM",
        f"sum of w · {_MINMAX}, all w equal",
        weighted(minmax),
        needs_scores=True,
        takes_weights=False,
    ),
    "combmnz": Method(
        "CombMNZ",
        f"(sum of w · {_MINMAX}, all w equal) · number of branches that returned it",
        weighted(minmax),
        combine=sum_times_count,
        needs_scores=True,
        takes_weights=False,
    ),
    "round_robin": Method(
        "Round-robin union",
        "1 / earliest slot, slot = (rank - 1) · branches + place of the branch in the order",
        turn,
        combine=greatest,
        takes_weights=False,
        takes_order=True,
    ),
    "branch": Method(
        "Branch",
        "the branch's own order and score",
        of_entries(own_rank),
        takes_weights=False,
        own_scores=True,
    ),
}


def method_of(name: str) -> Method:
    """The method of that name; raises ParameterError naming the known ones."""
    if name not in METHODS:
        raise ParameterError(
            "unknown fusion method", where="method", found=repr(name), expected=", ".join(METHODS)
        )
    return METHODS[name]
