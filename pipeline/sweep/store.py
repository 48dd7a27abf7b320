"""The values of a sweep, configuration by measure by query, in memory or in a file of no name."""

import tempfile
import weakref
from collections.abc import Iterator, Sequence
from threading import Lock
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from pipeline.grid.memory import KEPT_BYTES
from pipeline.sweep.collapsed import Reals

WIDTH = 8  # bytes of a value


class Values:
    """(configurations, measures, queries), written by blocks of queries, read by configurations.

    Args:
        configurations: how many.
        measures: how many.
        bounds: the first query of each block, and the number of queries.
        kept: values up to this many bytes stay in memory; more go to a temporary file (in
            TMPDIR).
    """

    def __init__(
        self, configurations: int, measures: int, bounds: Sequence[int], *, kept: int = KEPT_BYTES
    ) -> None:
        self.shape = configurations, measures, bounds[-1]
        self.undefined = np.zeros((measures, bounds[-1]), dtype=np.bool_)
        """(measures, queries), where any configuration's value is undefined."""
        self._bounds, self._lock = bounds, Lock()
        self._blocks: list[Reals | None] = [None] * (len(bounds) - 1)
        self._file: BinaryIO | None = None
        if self.nbytes > kept:
            # It lives as long as the values do, and has no name that could be left behind.
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self._file.close)

    @property
    def nbytes(self) -> int:
        """What all values take."""
        return WIDTH * int(np.prod(self.shape, dtype=np.int64))

    def put(self, block: int, values: Reals) -> None:
        """Keeps the values of a block, (configurations, measures, its queries)."""
        first, last = self._bounds[block], self._bounds[block + 1]
        self.undefined[:, first:last] = np.isnan(values).any(axis=0)
        if self._file is None:
            self._blocks[block] = values
            return
        with self._lock:
            self._file.seek(self._place(block, 0))
            self._file.write(np.ascontiguousarray(values).data)

    def some(self, start: int, stop: int) -> Reals:
        """(stop - start, measures, queries): the values of some configurations."""
        if not self._blocks:
            return np.empty((stop - start, *self.shape[1:]))
        parts = [self._read(block, start, stop) for block in range(len(self._blocks))]
        return np.concatenate(parts, axis=2)

    def parts(self, rows: int) -> Iterator[tuple[slice, Reals]]:
        """All values, some configurations at a time, so many that they hold about so many rows."""
        count, measures, queries = self.shape
        width = max(1, rows // max(measures * queries, 1))
        for start in range(0, count, width):
            chosen = slice(start, min(start + width, count))
            yield chosen, self.some(chosen.start, chosen.stop)

    def _read(self, block: int, start: int, stop: int) -> Reals:
        held = self._blocks[block]
        if held is not None:
            return held[start:stop]
        shape = stop - start, self.shape[1], self._bounds[block + 1] - self._bounds[block]
        if self._file is None:
            return np.full(shape, np.nan)
        size = WIDTH * int(np.prod(shape, dtype=np.int64))
        with self._lock:
            self._file.seek(self._place(block, start))
            read = self._file.read(size)
        values: npt.NDArray[np.float64] = np.frombuffer(read, dtype=np.float64).reshape(shape)
        return values

    def _place(self, block: int, configuration: int) -> int:
        count, measures, _ = self.shape
        first, last = self._bounds[block], self._bounds[block + 1]
        return WIDTH * measures * (count * first + configuration * (last - first))
