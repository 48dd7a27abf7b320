"""What sweep and selection keep in memory, told beforehand, and the grid that a limit leaves room
for.

The values themselves wait in a file where they are many (`pipeline.sweep.store`); what grows is
the lists that are read, the arrays of the blocks of queries that are worked on, and selection's one
matrix. The constants are rounded up from the peaks of eight sizes with two threads: six from 100
queries × 333 points to 10,000 × 4,107 (`python -m benchmarks.sweep_scale`), and 43 queries of TREC
DL 2019 × 15,447 and × 53,952 points. Told of two threads the sweep's exceed them by 28 % at most,
selection's by 45.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipeline.errors import ParameterError
from pipeline.grid.points import declared_points, distinct_depths
from pipeline.grid.simplex import weight_parts
from pipeline.memory import memory_limit
from pipeline.params import Params

GIGA = 1e9
START_BYTES = 0.115e9  # interpreter, numpy, polars
ENTRY_BYTES = 145  # of a list entry: five ids, rank and score, and a copy while they are checked
POINT_BYTES = 4_000  # a configuration, what each rank is worth in it, its row of every table
CHOICE_BYTES = 12_000  # of a configuration, in the samples on which selection repeats its rule
VALUE_BYTES = 8
KEPT_BYTES = 256 * 1024**2  # values up to here stay in memory
BLOCK_ENTRIES = 30_000  # list entries of a block of queries, about
BATCH_CELLS = 400_000  # of ranked lists in an array: numpy works long from one lock to the next
BATCH_BRANCHES = 3  # of more branches, arrays are shorter in proportion
BLOCK_QUERIES = 300  # queries of a block, at most about
WORK_BYTES = 250  # of a list entry in a block that is worked on
CELL_BYTES = 40  # of a cell of a batch, in all its arrays
PIECE_BYTES = 135  # of a row on its way to Parquet
READ_BYTES = 240  # of a row on its way from Parquet
PIECE_ROWS = 1_000_000  # on their way at once
SAMPLE_BYTES = 10_000  # of a query, in the samples on which selection repeats its rule
WORKERS = 8  # threads at most, whatever the machine has
MATRICES = 3  # selection's matrix, the grid's part of it, its group sums


@dataclass(frozen=True, slots=True)
class Load:
    """What memory grows with.

    Args:
        points: configurations tried, comparators' among them.
        queries: measured ones.
        measures: of the sweep.
        entries: rows of all candidate lists.
        slices: that veto a configuration; selection keeps the group sums of each.
    """

    points: int
    queries: int
    measures: int
    entries: int
    slices: int = 0

    def sweep_bytes(self, workers: int = WORKERS) -> float:
        """The sweep's peak, about; unless told, with as many threads as it would ever use."""
        row = VALUE_BYTES * self.points * self.measures
        return (
            START_BYTES
            + ENTRY_BYTES * self.entries
            + POINT_BYTES * self.points
            + min(row * self.queries, KEPT_BYTES)
            + self._work_bytes(workers)
            + PIECE_BYTES * self._piece
        )

    def selection_bytes(self) -> float:
        """Selection's peak, about."""
        matrix = VALUE_BYTES * self.points * self.queries
        own = SAMPLE_BYTES * self.queries + (MATRICES + self.slices) * matrix
        # What was needed to read is free again when the choice begins.
        return START_BYTES + max(READ_BYTES * self._piece, CHOICE_BYTES * self.points) + own

    def _work_bytes(self, workers: int) -> float:
        """The blocks that are worked on at once: their lists, batches of rankings, and values."""
        entries = min(workers * BLOCK_ENTRIES, self.entries)
        share = entries / max(self.entries, 1)
        queries = min(workers * BLOCK_QUERIES, self.queries * share)
        lists = WORK_BYTES * entries + VALUE_BYTES * self.points * self.measures * queries
        return lists + CELL_BYTES * min(workers * BATCH_CELLS, self.points * entries)

    @property
    def _piece(self) -> int:
        return min(PIECE_ROWS, self.points * self.measures * self.queries)

    def bytes(self, workers: int = WORKERS) -> float:
        """The peak of either."""
        return max(self.sweep_bytes(workers), self.selection_bytes())

    def describe(self) -> str:
        """Its size in words."""
        return f"{self.points:,} configurations × {self.queries:,} queries"


def tried_points(params: Params) -> int:
    """Configurations of the declared grid, a comparator's as large, and the branches.

    Where one depth is chosen first by a search, the declared grid at every other one that a
    bootstrap sample might choose.
    """
    repeated = params.selection.mode == "search" and not params.sweep.joint
    others = len(distinct_depths(params)) - 1 if repeated else 0
    return (2 + others) * declared_points(params) + len(params.candidates)


def refuse_large(load: Load, params: Params) -> None:
    """Refuses a grid that needs more memory than is declared or, where nothing is, than there is.

    Raises:
        ParameterError: with its size and the smallest change that fits.
    """
    declared = params.sweep.memory_gb
    limit = memory_limit() if declared is None else declared * GIGA
    if limit is None or load.bytes() <= limit:
        return
    raise ParameterError(
        f"the grid needs more memory than {'there is' if declared is None else 'is declared'}",
        where="sweep.memory_gb",
        found=f"about {load.bytes() / GIGA:.2f} GB for {load.describe()}",
        expected=f"at most {limit / GIGA:.3g} GB",
        next_command=_smallest_change(load, params, limit),
    )


def _smallest_change(load: Load, params: Params, limit: float) -> str:
    raised = f"set sweep.memory_gb to {_rounded_up(load.bytes()):g}"
    fitting = [
        (declared_points(smaller), words)
        for words, smaller in thinner_grids(params)
        if replace(load, points=tried_points(smaller)).bytes() <= limit
    ]
    if not fitting:
        return f"{raised}: no smaller grid fits"
    points, words = max(fitting, key=lambda each: each[0])
    return f"set {words} ({points:,} points), or {raised}"


def thinner_grids(params: Params) -> Iterator[tuple[str, Params]]:
    """Grids with one axis thinned, by what to set."""
    for parts in range(weight_parts(params.sweep.weight_step) - 1, 1, -1):
        step = round(1 / parts, 6)
        yield f"sweep.weight_step to {step:g}", _with(params, weight_step=step)
    constants = params.sweep.rank_constants
    for count in range(len(constants) - 1, 0, -1):
        shown = ", ".join(f"{each:g}" for each in constants[:count])
        yield f"sweep.rank_constants to [{shown}]", _with(params, rank_constants=constants[:count])


def _with(params: Params, **changes: object) -> Params:
    return params.model_copy(update={"sweep": params.sweep.model_copy(update=changes)})


def _rounded_up(found: float) -> float:
    return -(-found // (GIGA / 10)) / 10
