"""What sweep and selection keep in memory, told beforehand, and the grid that a limit leaves room
for.

The values themselves wait in a file where they are many (`pipeline.sweep.store`); what grows is
the lists that are read, the arrays of a block of queries, and selection's one matrix. The
constants are rounded up from measured peaks (`python -m benchmarks.sweep_scale`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pipeline.errors import ParameterError
from pipeline.grid.points import declared_points
from pipeline.grid.simplex import weight_parts
from pipeline.params import Params

GIGA = 1e9
START_BYTES = 0.2e9  # interpreter, numpy, polars
ENTRY_BYTES = 150  # of a list entry: five ids, rank and score, and a copy while they are checked
POINT_BYTES = 4_000  # a configuration, and what each rank is worth in it
VALUE_BYTES = 8
KEPT_BYTES = 256 * 1024**2  # values up to here stay in memory
BLOCK_BYTES = 60e6  # arrays of one block of queries, for each thread
BLOCK_QUERIES = 300  # queries of a block, at most about
PIECE_BYTES = 0.3e9  # a million rows, on their way to or from Parquet
WORKERS = 8  # threads at most, whatever the machine has
MATRICES = 4  # selection's matrix, the grid's part of it, its group sums, and one on the way


@dataclass(frozen=True, slots=True)
class Load:
    """What memory grows with.

    Args:
        points: configurations tried, comparators' among them.
        queries: measured ones.
        measures: of the sweep.
        entries: rows of all candidate lists.
    """

    points: int
    queries: int
    measures: int
    entries: int

    def sweep_bytes(self, workers: int = WORKERS) -> float:
        """The sweep's peak, about; unless told, with as many threads as it would ever use."""
        row = VALUE_BYTES * self.points * self.measures
        block = BLOCK_BYTES + row * min(self.queries, BLOCK_QUERIES)
        return (
            START_BYTES
            + ENTRY_BYTES * self.entries
            + POINT_BYTES * self.points
            + min(row * self.queries, KEPT_BYTES)
            + max(workers * block, PIECE_BYTES)
        )

    def selection_bytes(self) -> float:
        """Selection's peak, about."""
        matrix = VALUE_BYTES * self.points * self.queries
        return START_BYTES + PIECE_BYTES + MATRICES * matrix

    def bytes(self, workers: int = WORKERS) -> float:
        """The peak of either."""
        return max(self.sweep_bytes(workers), self.selection_bytes())

    def describe(self) -> str:
        """Its size in words."""
        return f"{self.points:,} configurations × {self.queries:,} queries"


def tried_points(params: Params) -> int:
    """Configurations of the declared grid, a comparator's as large, and the branches."""
    return 2 * declared_points(params) + len(params.candidates)


def refuse_large(load: Load, params: Params) -> None:
    """Refuses a grid that needs more than the declared memory.

    Raises:
        ParameterError: with its size and the smallest change that fits.
    """
    limit = params.sweep.memory_gb
    if limit is None or load.bytes() <= limit * GIGA:
        return
    raise ParameterError(
        "the grid needs more memory than is declared",
        where="sweep.memory_gb",
        found=f"about {load.bytes() / GIGA:.2f} GB for {load.describe()}",
        expected=f"at most {limit:g} GB",
        next_command=_smallest_change(load, params),
    )


def _smallest_change(load: Load, params: Params) -> str:
    raised = f"set sweep.memory_gb to {_rounded_up(load.bytes()):g}"
    limit = (params.sweep.memory_gb or 0.0) * GIGA
    fitting = [
        (declared_points(smaller), words)
        for words, smaller in _smaller(params)
        if replace(load, points=tried_points(smaller)).bytes() <= limit
    ]
    if not fitting:
        return f"{raised}: no smaller grid fits"
    points, words = max(fitting, key=lambda each: each[0])
    return f"set {words} ({points:,} points), or {raised}"


def _smaller(params: Params) -> Iterator[tuple[str, Params]]:
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
