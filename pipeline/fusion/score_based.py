"""Methods that look at scores: each list's scores are brought to one scale, then weighted."""

import numpy as np

from pipeline.errors import ContractError
from pipeline.fusion.lists import Contribution, Entries, Reals, Wholes, starts_of

CONSTANT_MINMAX = 1.0  # every score of a constant or one-item list, under either min-max
CONSTANT_ZSCORE = 0.0  # the mean is 0 by definition
MOST_SCORE = 1e150  # squares of differences stay finite, and so do their sums


def weighted(normalise: Contribution) -> Contribution:
    """Each entry's weight times its normalised score.

    Raises (when called):
        ContractError: a branch gave no scores, or one beyond ±`MOST_SCORE`; or as the
            normalisation.
    """

    def contribution(entries: Entries) -> Reals:
        _refuse_missing(entries)
        _refuse_huge(entries)
        return entries.weights[entries.branch] * normalise(entries)

    return contribution


def minmax(entries: Entries) -> Reals:
    """(s - min) / (max - min) within the collapsed list; 1.0 in a constant list."""
    starts, lengths = _bounds(entries.list_)
    low = np.repeat(_reduce(np.minimum, entries.score, starts), lengths)
    high = np.repeat(_reduce(np.maximum, entries.score, starts), lengths)
    return _divide(entries.score - low, high - low, CONSTANT_MINMAX)


def zscore(entries: Entries) -> Reals:
    """(s - mean) / population standard deviation within the collapsed list; 0.0 in a constant
    list."""
    starts, lengths = _bounds(entries.list_)
    low = _reduce(np.minimum, entries.score, starts)
    high = _reduce(np.maximum, entries.score, starts)
    mean = _reduce(np.add, entries.score, starts) / lengths
    offset = entries.score - np.repeat(mean, lengths)
    spread = np.sqrt(_reduce(np.add, offset * offset, starts) / lengths)
    # A rounded mean of equal scores leaves a spread of dust: constancy is decided by the scores.
    spread = np.where(high > low, spread, 0.0)
    return _divide(offset, np.repeat(spread, lengths), CONSTANT_ZSCORE)


def theoretical_minmax(entries: Entries) -> Reals:
    """(s - m) / (max - m), m the least score the branch could give; 1.0 where max = m.

    Bruch, Gai, Ingber 2023, TOIS, doi:10.1145/3596512.

    Raises:
        ContractError: a branch has no declared minimum, or a score lies below it.
    """
    least = entries.minima[entries.branch]
    _refuse_minima(entries, least)
    starts, lengths = _bounds(entries.list_)
    high = np.repeat(_reduce(np.maximum, entries.score, starts), lengths)
    return _divide(entries.score - least, high - least, CONSTANT_MINMAX)


def _bounds(list_: Wholes) -> tuple[Wholes, Wholes]:
    starts = starts_of(list_)
    return starts, np.diff(np.append(starts, list_.size))


def _reduce(operation: np.ufunc, values: Reals, starts: Wholes) -> Reals:
    if not starts.size:
        return np.empty(0)
    reduced: Reals = operation.reduceat(values, starts)
    return reduced


def _divide(above: Reals, below: Reals, constant: float) -> Reals:
    result = np.full(above.size, constant)
    np.divide(above, below, out=result, where=below > 0)
    return result


def _refuse_missing(entries: Entries) -> None:
    missing = np.isnan(entries.score)
    if missing.any():
        raise ContractError(
            "a score-based method needs scores",
            where=f"branch {entries.names[int(entries.branch[missing][0])]!r}",
            found=f"{int(missing.sum())} of {missing.size} listed items without a score",
            expected="a score for every item, or a method that looks at ranks",
        )


def _refuse_huge(entries: Entries) -> None:
    huge = np.flatnonzero(np.abs(entries.score) > MOST_SCORE)
    if huge.size:
        place = int(huge[0])
        raise ContractError(
            "a score is too large to be brought to one scale with others",
            where=f"branch {entries.names[int(entries.branch[place])]!r}",
            found=float(entries.score[place]),
            expected=f"at most {MOST_SCORE:g} either way, or a method that looks at ranks",
        )


def _refuse_minima(entries: Entries, least: Reals) -> None:
    undeclared = np.isnan(least)
    if undeclared.any():
        name = entries.names[int(entries.branch[undeclared][0])]
        raise ContractError(
            "the least possible score is not known",
            where=f"fusion.minima.{name}",
            expected="the lowest score this branch could ever give",
        )
    below = entries.score < least
    if below.any():
        place = int(np.flatnonzero(below)[0])
        raise ContractError(
            "a score lies below the declared minimum",
            where=f"fusion.minima.{entries.names[int(entries.branch[place])]}",
            found=float(entries.score[place]),
            expected=f"at least {float(least[place]):g}",
        )
