"""Groupings by which queries cannot be put on sides, refused with the reason and the way out."""

from collections.abc import Sequence

from pipeline.errors import ParameterError, first_three
from pipeline.splits.grouping import LARGEST_SHARE, TEXT, Grouping
from pipeline.splits.sides import Part
from pipeline.splits.ties import (
    WAY_OUT,
    dropped_keys,
    grouping_text,
    shared_values,
    tie_of,
    ties_of,
    too_much,
)

DECLARING = "rankgate init --independent, rankgate study --independent, or splits.independent: true"


def refuse_to_split(grouping: Grouping) -> None:
    """Refuses a grouping of which every key had to be dropped.

    Raises:
        ParameterError: names the keys, a pair for each, and `splits.independent: true`.
    """
    if not grouping.dropped or grouping.keys != (TEXT,):
        return
    together = dict.fromkeys(grouping.component, "")
    found = [
        (drop, tie_of(drop.key, shared_values(grouping.links[drop.key], together), drop.largest))
        for drop in dropped_keys(grouping)
    ]
    raise ParameterError(
        "nothing is left to group queries by",
        where="splits.independent",
        found="; ".join(f"{too_much(drop)}, e.g. {tie.pair}" for drop, tie in found),
        expected=f"keys whose largest group holds at most {LARGEST_SHARE:.0%} of the queries",
        next_command=WAY_OUT.format(DECLARING),
    )


def refuse_few_groups(grouping: Grouping, free: int, empty: Sequence[Part]) -> None:
    """Refuses fewer groups than empty sides, where it is ties that make them so few.

    Args:
        grouping: the queries in groups.
        free: how many groups have no side yet.
        empty: sides and folds without a query.

    Raises:
        ParameterError: says what ties the queries, with a pair, and `splits.independent: true`.
    """
    if free >= len(empty) or not ties_of(grouping):
        return
    raise ParameterError(
        "the queries cannot be split",
        where="splits",
        found=grouping_text(grouping),
        expected=f"at least {len(empty)} groups, for {first_three([side.name for side in empty])}",
        next_command=f"{WAY_OUT.format(DECLARING)}; else declare fewer sides or folds",
    )
