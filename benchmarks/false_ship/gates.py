"""One gate at its limit, every other required gate far inside its own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from benchmarks.false_ship.choosing import Sample, select
from benchmarks.false_ship.comparing import against_branches, settle, status_of, word
from benchmarks.false_ship.draws import Draws, drawn
from benchmarks.false_ship.populations import Population, Reals
from benchmarks.false_ship.rates import Rate
from benchmarks.false_ship.tilting import tilted
from pipeline.gates import Status

Pair = tuple[int, int]
"""Rows of the values: the chosen point, and the branch that it is compared with."""
FAR_INSIDE = -1.0
"""The primary gate's limit: no loss is too great (question: not_worse, tolerance: 1)."""


@dataclass(frozen=True, slots=True)
class Case:
    """One gate at its limit.

    Args:
        gate: its name.
        limit: the declared limit.
        excess: of a chosen point and its comparator (rows of the values): (groups,), what must
            have mean 0 so that the gate is at its limit.
        status: the gate's status in one study.
        interval: whether the gate judges an interval; else it judges the figure itself.
        margin: the primary gate's, far below every gain.
        note: what is special about it.
    """

    gate: str
    limit: float
    excess: Callable[[Population, Pair], Reals]
    status: Callable[[Population, Pair, Sample, int], Status]
    interval: bool = True
    margin: float = FAR_INSIDE
    note: str = ""


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """How often a gate at its limit passed.

    Args:
        gate: its name.
        interval: whether it judges an interval.
        population: the collection.
        points: of the grid.
        groups: test groups.
        limit: its limit.
        passes: the share of studies in which it passed.
        ships: the share in which the study said ship.
        left_out: studies whose choice no weights bring to the limit.
        note: what is special about it.
    """

    gate: str
    interval: bool
    population: str
    points: int
    groups: int
    limit: float
    passes: Rate
    ships: Rate
    left_out: int
    note: str


def at_its_limit(population: Population, draws: Draws, case: Case) -> GateOutcome | None:
    """A gate's studies: dev as it is, the test tilted until what was chosen is at the limit.

    Returns:
        None where no choice can be brought to the limit.
    """
    choice = select(population, draws.dev)
    known: dict[Pair, Reals | None] = {}
    passes = ships = counted = 0
    for number, (chosen, branch) in enumerate(zip(choice.points, choice.best_branch, strict=True)):
        pair = int(chosen), len(population.points) + int(branch)
        if pair not in known:
            known[pair] = tilted(case.excess(population, pair))
        weights = known[pair]
        if weights is None:
            continue
        sample = Sample.of(population, drawn(draws.test[number], weights))
        statuses = _statuses(population, case, pair, sample, number)
        counted += 1
        passes += statuses[case.gate] == "pass"
        ships += word(statuses) == "ship"
    if not counted:
        return None
    return GateOutcome(
        case.gate,
        case.interval,
        population.name,
        len(population.points),
        draws.dev.shape[1],
        case.limit,
        Rate(passes, counted),
        Rate(ships, counted),
        draws.studies - counted,
        case.note,
    )


def _statuses(
    population: Population, case: Case, pair: Pair, sample: Sample, seed: int
) -> Mapping[str, Status]:
    compared = against_branches(population, np.array(pair[0]), sample, case.margin)
    resamples = population.params.evaluation.resamples
    inside = status_of(settle(compared, seed=seed, resamples=resamples))
    return {"primary": inside, case.gate: case.status(population, pair, sample, seed)}
