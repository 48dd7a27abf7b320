"""Roughly how long a study runs: counted work times rates, scaled to this machine's speed now.

The rates are processor seconds of the machine in docs/benchmarks.md (`python -m benchmarks.check`
compares them with what happens). How fast this machine is at this moment a short probe tells, so
that a slow or busy one gets a longer estimate.
"""

import statistics
from collections.abc import Callable, Mapping
from time import perf_counter

import numpy as np

from assets.checking.environment import engine_of
from assets.checking.extent import Extent
from pipeline.params import AnyBranch, DenseBranch, Params

# A stage's process: the interpreter and what the stage imports. Tracking's are MLflow and Dagster.
STARTS: Mapping[str, float] = {
    "snapshot": 0.7,
    "splits": 0.7,
    "pool": 0.8,
    "sweep": 0.7,
    "selection": 0.8,
    "evaluation": 1.5,
    "operations": 1.3,
    "decision": 1.0,
    "report": 1.8,
    "tracking": 8.0,
}
BRANCH_START = 0.7
DVC_START, DVC_STAGE = 2.0, 0.4  # DVC's own: once, and for each stage
WORDS_PER_SECOND = {"bm25": 800_000, "static": 550_000, "lsa": 230_000}  # analysed and indexed
PRODUCTS_PER_SECOND = 1e10  # of vector search
LETTERS_PER_SECOND = 3e7  # read and validated
LINES_PER_SECOND = 3e5  # of recorded runs
POOLED_PER_SECOND = 1.3e5  # list entries
FUSED_PER_SECOND = 4.5e8  # list entries that the sweep fuses
POINT_SECONDS = 2e-4  # of a configuration, however little it fuses
CHOICE_SECONDS = 3e-4  # of a configuration that selection reads and finds the neighbours of
CHOSEN_PER_SECOND = 2.5e6  # values that it weighs, with its own bootstrap
DRAWN_PER_SECOND = 1.2e8  # query groups that a bootstrap draws
RANKED_PER_SECOND = 4e5  # list entries that an evaluation ranks and measures
DEGRADED = 0.7  # operations repeats so much of the evaluation, with branches out
CHILD_SECONDS = 0.01  # of a configuration that becomes an MLflow run of its own
CHILDREN = 200  # so many, where none are declared and the database is its own
STEP_SECONDS = 2e-4  # of one that becomes a metric's step
REFERENCE = 0.029  # the probe's seconds on that machine
PROBES = 5


def seconds(extent: Extent, params: Params) -> float:
    """Of one full run, on the machine of the rates.

    Args:
        extent: the counted work.
        params: branches; runs that tracking makes.
    """
    branches = params.candidates.values()
    starting = sum(STARTS.values()) + BRANCH_START * len(branches)
    evaluating = extent.drawn / DRAWN_PER_SECOND + (extent.listed / RANKED_PER_SECOND)
    return (
        starting
        + DVC_START
        + DVC_STAGE * (len(STARTS) + len(branches))
        + extent.letters / LETTERS_PER_SECOND
        + extent.recorded / LINES_PER_SECOND
        + _retrieving(extent, params)
        + extent.entries / POOLED_PER_SECOND
        + of_the_grid(extent)
        + (1 + DEGRADED) * evaluating
        + STEP_SECONDS * extent.points
        + CHILD_SECONDS * min(extent.points, _children(params))
    )


def choosing(extent: Extent) -> float:
    """Of selection's own work, beside its process's start.

    Folds hardly count: a choice without each is little beside the grid's neighbours, found once.
    """
    return CHOICE_SECONDS * extent.points + extent.chosen / CHOSEN_PER_SECOND


def of_the_grid(extent: Extent) -> float:
    """Of trying configurations and choosing from them, however that is run."""
    tried = extent.fused / FUSED_PER_SECOND + POINT_SECONDS * extent.points
    return tried + choosing(extent)


def _children(params: Params) -> int:
    declared = params.tracking.children
    return CHILDREN if declared is None else declared


def _retrieving(extent: Extent, params: Params) -> float:
    branches = params.candidates.values()
    indexing = sum(
        extent.words / WORDS_PER_SECOND[name]
        for name in map(engine_of, branches)
        if name in WORDS_PER_SECOND
    )
    products = extent.documents * extent.queries * sum(map(_dimensions, branches))
    return indexing + products / PRODUCTS_PER_SECOND


def _dimensions(branch: AnyBranch) -> int:
    return branch.dimensions if isinstance(branch, DenseBranch) else 0


def slowness(clock: Callable[[], float] = perf_counter) -> float:
    """How many times longer than on the machine of the rates work takes here, now.

    Args:
        clock: of wall time, which other processes lengthen, or of the processor's.
    """
    _probe()
    spent = []
    for _ in range(PROBES):
        began = clock()
        _probe()
        spent.append(clock() - began)
    return statistics.median(spent) / REFERENCE


def _probe() -> float:
    """Work of the kinds that a study does: dictionaries of texts, and sorting numbers."""
    counted: dict[str, int] = {}
    for number in range(60_000):
        word = str(number % 997)
        counted[word] = counted.get(word, 0) + number
    drawn = np.random.default_rng(7)
    largest = max(float(np.sort(drawn.random(100_000))[-1]) for _ in range(4))
    return largest + sum(counted.values())
