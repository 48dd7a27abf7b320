"""Where the comparisons stand once some unjudged pairs are assumed to be judged."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipeline.evaluation.bounds.ratio import Reals
from pipeline.evaluation.critical.contest import Assumed, Contest
from pipeline.evaluation.critical.lows import Bounds, Plan

GateLows = Callable[[Reals], Reals]
"""From gains (queries, rivals) to each rival's L as the gate takes it; −infinity for none."""


@dataclass(frozen=True, slots=True, order=True)
class Judgment:
    """One pair with an assumed grade.

    Args:
        query: the query's place among the contests.
        evidence_id: the evidence.
        grade: the grade.
    """

    query: int
    evidence_id: str
    grade: int


@dataclass(frozen=True, slots=True)
class Field:
    """All contests, and how their gains become lower bounds.

    Args:
        contests: one for each query.
        plan: query groups and level.
        gate_lows: the gate's own lower bounds, bootstrap included.
        grades: the grades that pairs are assumed to be given.
        start: (queries, rivals), the gains with nothing assumed.
        known: gains of one query under assumptions that were asked for before.
    """

    contests: Sequence[Contest]
    plan: Plan
    gate_lows: GateLows
    grades: Sequence[int]
    start: Reals
    known: dict[tuple[int, tuple[tuple[str, int], ...]], Reals] = field(default_factory=dict)

    @property
    def open(self) -> int:
        """How many pairs may be judged."""
        return sum(len(contest.open) for contest in self.contests)

    def gains(self, judgments: Iterable[Judgment]) -> Reals:
        """(queries, rivals) with these judgments."""
        gains = self.start.copy()
        for query, assumed in _by_query(judgments).items():
            key = (query, tuple(sorted(assumed.items())))
            if key not in self.known:
                self.known[key] = self.contests[query].gains([assumed])[0]
            gains[query] = self.known[key]
        return gains

    def bounds(self, judgments: Iterable[Judgment]) -> Bounds:
        """Means and t bounds with these judgments."""
        return self.plan.bounds(self.gains(judgments))

    def lows(self, judgments: Iterable[Judgment]) -> Reals:
        """The gate's lower bounds with these judgments."""
        return self.gate_lows(self.gains(judgments))


@dataclass(slots=True)
class Moves:
    """Every further judgment that could be assumed, and what it would make of its query's gains.

    Only the moves of the query that was changed last are worked out again.
    """

    of: Field
    assumed: dict[int, dict[str, int]] = field(default_factory=dict)
    _parts: list[tuple[list[Judgment], Reals]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._parts = [self._part(query) for query in range(len(self.of.contests))]

    @property
    def judgments(self) -> list[Judgment]:
        """The moves, in the order of `changed`."""
        return [judgment for judgments, _ in self._parts for judgment in judgments]

    @property
    def changed(self) -> Reals:
        """(moves, rivals): the query's gains after each."""
        return np.concatenate([changed for _, changed in self._parts])

    def take(self, move: Judgment) -> None:
        """Assumes one of them."""
        self.assumed.setdefault(move.query, {})[move.evidence_id] = move.grade
        self._parts[move.query] = self._part(move.query)

    def _part(self, query: int) -> tuple[list[Judgment], Reals]:
        contest, assumed = self.of.contests[query], self.assumed.get(query, {})
        further = list(contest.further(assumed, self.of.grades))
        if not further:
            return [], np.empty((0, self.of.start.shape[1]))
        changed = contest.gains([{**assumed, evidence: grade} for evidence, grade in further])
        return [Judgment(query, *move) for move in further], changed


def _by_query(judgments: Iterable[Judgment]) -> dict[int, Assumed]:
    assumed: dict[int, dict[str, int]] = {}
    for one in judgments:
        assumed.setdefault(one.query, {})[one.evidence_id] = one.grade
    return dict(assumed)
