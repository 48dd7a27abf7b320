"""A smallest set found of judgments that turn the primary gate: greedy, then pruned.

Which set is the smallest is a covering problem, and too many sets could be tried. The best next
judgment is taken until the gate turns; then every judgment that is not needed is put back. Where
few sets are smaller than what was found, all of them are tried.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.evaluation.bounds.enumeration import DOUBLINGS
from pipeline.evaluation.critical.goals import Goal, Progress
from pipeline.evaluation.critical.standing import Field, Judgment, Moves

# Scores that differ by less are rounding: the first move in order is taken.
DIGITS = 12
MOST_TRIED = 2**DOUBLINGS


@dataclass(frozen=True, slots=True)
class Found:
    """What a search came to.

    Args:
        goal: what was to be reached.
        judgments: in the order they tell most; none where no set was found.
        proven: whether every smaller set was tried, or where none was found every set at all.
    """

    goal: Goal
    judgments: tuple[Judgment, ...]
    proven: bool


def smallest(field: Field, goal: Goal) -> Found:
    """The smallest set of judgments found that reach the goal."""
    start = field.bounds(())
    tried = [_greedy(field, goal, progress) for progress in goal.progresses(start)]
    sets = [_pruned(field, goal, one) for one in tried if one is not None]
    best = min(sets, key=lambda one: (len(one), one), default=None)
    limit = field.open + 1 if best is None else len(best)
    if not _few(field, limit):
        # The first greedy step looks at every single judgment.
        return Found(goal, best or (), best is not None and len(best) == 1)
    smaller = next(_reaching(field, goal, limit), None)
    return Found(goal, smaller or best or (), True)


def _greedy(field: Field, goal: Goal, progress: Progress) -> tuple[Judgment, ...] | None:
    moves = Moves(field)
    taken: list[Judgment] = []
    while judgments := moves.judgments:
        gains = field.gains(taken)
        places = [one.query for one in judgments]
        after = field.plan.bounds_after(gains, places, moves.changed)
        best = judgments[int(np.argmax(np.round(progress(after), DIGITS)))]
        moves.take(best)
        taken.append(best)
        if _reached(field, goal, taken):
            return tuple(taken)
    return None


def _reached(field: Field, goal: Goal, judgments: Sequence[Judgment]) -> bool:
    # The gate's L is never above the t bound, and takes a bootstrap.
    if goal.rival is None and not goal.reached(field.bounds(judgments).lows):
        return False
    return goal.reached(field.lows(judgments))


def _pruned(field: Field, goal: Goal, judgments: tuple[Judgment, ...]) -> tuple[Judgment, ...]:
    """Without what is not needed; the last taken, which tell least, are put back first."""
    kept = list(judgments)
    for one in reversed(judgments):
        rest = [other for other in kept if other != one]
        if _reached(field, goal, rest):
            kept = rest
    return tuple(kept) if len(kept) == len(judgments) else _pruned(field, goal, tuple(kept))


def _few(field: Field, below: int) -> bool:
    """Whether the sets with fewer judgments than this are few enough to try all."""
    pairs, grades = field.open, len(field.grades)
    count = 0
    for number in range(1, below):
        count += math.comb(pairs, number) * grades**number
        if count > MOST_TRIED:
            return False
    return True


def _reaching(field: Field, goal: Goal, below: int) -> Iterator[tuple[Judgment, ...]]:
    """Sets with fewer judgments than this that reach the goal, the smallest first."""
    pairs = [(place, item) for place, contest in enumerate(field.contests) for item in contest.open]
    for number in range(1, min(below, len(pairs) + 1)):
        for chosen in itertools.combinations(pairs, number):
            for grades in itertools.product(field.grades, repeat=number):
                one = tuple(
                    Judgment(*pair, grade) for pair, grade in zip(chosen, grades, strict=True)
                )
                if _reached(field, goal, one):
                    yield one
