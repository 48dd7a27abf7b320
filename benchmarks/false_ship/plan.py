"""Which studies are simulated, how many of each, and from which seed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.false_ship.collections import SOURCES
from benchmarks.false_ship.gates import GateOutcome
from benchmarks.false_ship.outcomes import Outcome
from benchmarks.false_ship.power import Power
from benchmarks.false_ship.practice import Practice
from benchmarks.false_ship.sizes import Size

BEST, TOGETHER, EACH, EXCHANGED = "best gain", "all tilted", "each tilted", "exchanged"
NULLS, GATES, SIZES = "nulls", "gates", "sizes"
PARTS = (NULLS, GATES, SIZES)
USUAL = 81
"""Points of the grid that `rankgate init` declares for two branches."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The size of the benchmark.

    Args:
        studies: of each cell.
        ranx: of each cell with ranx; 0 leaves it out.
        samples: of each configuration looked at by itself.
        collections: names of sources.
        groups: test groups.
        grids: points.
        seed: of all draws.
        resamples: bootstrap samples of a study.
        parts: of the benchmark.
        gates: that are brought to their limits; all where none is named.
        widest: measure the wider of t and bootstrap-t at every number of groups.
    """

    studies: int = 1000
    ranx: int = 100
    samples: int = 500
    collections: Sequence[str] = tuple(SOURCES)
    groups: Sequence[int] = (15, 30, 60, 120)
    grids: Sequence[int] = (1, 81, 2009)
    seed: int = 7
    resamples: int = 10_000
    parts: Sequence[str] = PARTS
    gates: Sequence[str] = ()
    widest: bool = False


@dataclass(frozen=True, slots=True)
class Tilted:
    """What the joint tilt of a population made of it.

    Args:
        population: the collection.
        points: of the grid.
        margin: which no configuration's gain exceeds.
        middle: the median of the configurations' gains.
        least: the least gain.
        evenness: effective groups by groups.
        groups: of the population.
    """

    population: str
    points: int
    margin: float
    middle: float
    least: float
    evenness: float
    groups: int


@dataclass(slots=True)
class Results:
    """Everything that was seen."""

    outcomes: list[Outcome] = field(default_factory=list)
    tilts: list[Tilted] = field(default_factory=list)
    gates: list[GateOutcome] = field(default_factory=list)
    practices: list[Practice] = field(default_factory=list)
    powers: list[Power] = field(default_factory=list)
    sizes: list[Size] = field(default_factory=list)
    ranx_gains: dict[str, float] = field(default_factory=dict)
