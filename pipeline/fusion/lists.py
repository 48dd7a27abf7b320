"""Ranked lists as arrays: the form in which they are checked, collapsed and scored."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Lists:
    """All lists of a frame, row by row, sorted by branch, query and rank.

    Codes are positions in the sorted distinct values, so comparing codes compares ids by code
    point.

    Args:
        rows: the candidates, in this order.
        branch: code of the branch.
        list_: number of the (branch, query) list, rising.
        query: code of the query.
        document: code of the document.
        item: code of what is fused (document, evidence or source).
        position: place in the list, from 1.
        rank: place of the row's item in the collapsed list, from 1.
        first: whether the row represents its item in its list.
        queries: distinct query ids, sorted.
    """

    rows: pl.DataFrame
    branch: Wholes
    list_: Wholes
    query: Wholes
    document: Wholes
    item: Wholes
    position: Wholes
    rank: Wholes
    first: Flags
    queries: pl.Series


@dataclass(frozen=True, slots=True)
class Entries:
    """The collapsed lists, one entry per branch, query and item, with the branches' settings.

    Args:
        list_: number of the entry's list, rising.
        branch: position of its branch among the branches.
        rank: its rank, from 1.
        score: the branch's score; NaN where it gave none.
        weights: one weight per branch.
        depths: one depth per branch.
        rank_constant: k, where the method takes one.
        starts: each branch's place in the round-robin order, from 0.
        minima: each branch's least possible score; NaN where none is declared.
        names: the branches' names.
    """

    list_: Wholes
    branch: Wholes
    rank: Wholes
    score: Reals
    weights: Reals
    depths: Wholes
    rank_constant: float
    starts: Wholes
    minima: Reals
    names: Sequence[str]


# One value per entry.
Contribution = Callable[[Entries], Reals]


def encode(column: pl.Series) -> tuple[Wholes, pl.Series]:
    """Codes of ids in code point order, and the distinct ids they stand for."""
    distinct = column.unique().sort()
    codes = column.cast(pl.Enum(distinct)).to_physical().to_numpy()
    return codes.astype(np.int64), distinct


def starts_of(list_: Wholes) -> Wholes:
    """Where each list starts in rows that are sorted by list."""
    if not list_.size:
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate(([True], list_[1:] != list_[:-1]))).astype(np.int64)


def places(list_: Wholes) -> Wholes:
    """Each row's place within its list, from 1."""
    starts = starts_of(list_)
    lengths = np.diff(np.append(starts, list_.size))
    return np.arange(1, list_.size + 1) - np.repeat(starts, lengths)


def first_of_pair(group: Wholes, code: Wholes) -> Flags:
    """Whether a row is the first with its group and code."""
    pair = group * (int(code.max(initial=0)) + 1) + code
    ordered = np.sort(pair)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(pair.size, dtype=np.bool_)
    first = np.zeros(pair.size, dtype=np.bool_)
    first[np.unique(pair, return_index=True)[1]] = True
    return first
