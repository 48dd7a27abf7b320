"""Reciprocal rank fusion by hand: plain lists in, a plain list out, checkable on paper."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.errors import ContractError, ParameterError, first_three
from pipeline.fusion.collapse import Duplicates
from pipeline.fusion.contract import Missing
from pipeline.fusion.limits import check_depth, check_rank_constant
from pipeline.fusion.weights import check_weights

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FusedItem:
    """One item of a fused list.

    Args:
        id: the item.
        score: the sum of w / (k + rank).
        rank: its place in the fused list, from 1.
        best_rank: its best rank in any ranking that takes part.
        ranks: its rank in each ranking, in the order given; None where it is missing or the
            ranking has weight 0.
    """

    id: str
    score: float
    rank: int
    best_rank: int
    ranks: tuple[int | None, ...]


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[str]],
    *,
    rank_constant: float = 60,
    weights: Sequence[float] | None = None,
    output_depth: int | None = None,
    missing: Missing = "skip",
    duplicates: Duplicates = "reject",
) -> list[FusedItem]:
    """score(d) = Σ w / (k + rank(d)) over the rankings that hold d, with the weights as given.

    Contributions are added in descending order of value, so the order of rankings changes
    nothing. Ties: better best rank, then smaller id by code point.

    Args:
        rankings: lists of ids, best first.
        rank_constant: k, from 1 to 100,000.
        weights: one per ranking, 0 or more, not all 0; 1 each where None. A ranking of weight 0
            takes no part.
        output_depth: how many items to return; all where None.
        missing: an id missing from a ranking contributes nothing (`skip`), or stands one place
            after its end (`past_depth`; an empty ranking contributes nothing).
        duplicates: an id twice in a ranking is refused, or its first place is kept, the others
            are logged and the ranking renumbered (`keep_first`).

    Returns:
        The items, best first.

    Raises:
        ParameterError: a rank constant, weight, output depth or choice that is refused.
        ContractError: an id that is not text, an id twice in a ranking.

    Cormack, Clarke, Büttcher 2009: Reciprocal rank fusion outperforms Condorcet and individual
    rank learning methods. SIGIR. https://doi.org/10.1145/1571941.1572114
    """
    constant = check_rank_constant(rank_constant)
    numbers = _weights(weights, len(rankings))
    _check_choices(missing, duplicates)
    depth = None if output_depth is None else check_depth(output_depth, where="output_depth")
    places = [
        _ranks(ranking, number, duplicates) if weight > 0 else {}
        for number, (ranking, weight) in enumerate(zip(rankings, numbers, strict=True))
    ]
    ids = {name for ranks in places for name in ranks}
    past = {"skip": False, "past_depth": True}[missing]
    scored = sorted(
        (-_score(name, places, numbers, constant, past), _best(name, places), name) for name in ids
    )
    return [
        FusedItem(name, -score, rank, best, tuple(ranks.get(name) for ranks in places))
        for rank, (score, best, name) in enumerate(scored[:depth], start=1)
    ]


def _weights(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    if weights is None:
        return (1.0,) * count
    return check_weights(weights, names=range(count))


def _check_choices(missing: str, duplicates: str) -> None:
    choices = (
        ("missing", missing, ("skip", "past_depth")),
        ("duplicates", duplicates, ("reject", "keep_first")),
    )
    for key, value, known in choices:
        if value not in known:
            raise ParameterError(
                f"unknown {key}", where=key, found=repr(value), expected=", ".join(known)
            )


def _ranks(ranking: Sequence[str], number: int, duplicates: str) -> dict[str, int]:
    where = f"rankings[{number}]"
    ids = [ranking] if isinstance(ranking, str) else list(ranking)
    strangers = [name for name in ids if not isinstance(name, str)]
    if strangers or isinstance(ranking, str):
        raise ContractError(
            "not a list of ids",
            where=where,
            found=repr(ranking) if isinstance(ranking, str) else first_three(strangers),
            expected="strings, best first",
        )
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(ids), start=1)}
    if len(ranks) < len(ids):
        _repeated(ids, where, duplicates)
    return ranks


def _repeated(ids: Sequence[str], where: str, duplicates: str) -> None:
    repeats = [name for place, name in enumerate(ids) if name in ids[:place]]
    if duplicates != "keep_first":
        raise ContractError(
            "an id stands twice in a ranking",
            where=where,
            found=first_three(repeats),
            expected="each id once, or duplicates='keep_first'",
        )
    _log.warning("%s: %d repeated ids dropped: %s", where, len(repeats), first_three(repeats))


def _score(
    name: str,
    places: Sequence[dict[str, int]],
    weights: Sequence[float],
    constant: float,
    past: bool,
) -> float:
    contributions = [
        weight / (constant + ranks.get(name, len(ranks) + 1))
        for ranks, weight in zip(places, weights, strict=True)
        if name in ranks or (past and ranks)
    ]
    total = 0.0
    for contribution in sorted(contributions, reverse=True):
        total += contribution
    return total


def _best(name: str, places: Sequence[dict[str, int]]) -> int:
    return min(ranks[name] for ranks in places if name in ranks)
