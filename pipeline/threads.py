"""Threads: one for linear algebra (a sum in another order is another sum), all cores for blocks."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import TypeVar

from threadpoolctl import ThreadpoolController

Found = TypeVar("Found")


class LinearAlgebra:
    """The BLAS and OpenMP libraries that are loaded at this moment.

    Looking for them takes milliseconds, holding them to one thread takes none: so it is made
    once, after the last of them is imported.
    """

    __slots__ = ("_libraries",)

    def __init__(self) -> None:
        self._libraries = ThreadpoolController()

    @contextmanager
    def on_one_thread(self) -> Iterator[None]:
        """One thread inside the block."""
        with self._libraries.limit(limits=1):
            yield

    def on_all_cores(self, work: Callable[[int], Found], count: int) -> list[Found]:
        """The work of each of so many blocks, one thread of linear algebra for each.

        A block alone leaves the cores to the libraries.
        """
        if count == 1:
            return [work(0)]
        with self.on_one_thread():
            return list(in_threads(work, range(count), usable_cores()))


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def even_parts(count: int, at_once: int, *, least: int) -> list[range]:
    """A count in parts of about equal size, at least one part, and as many for each core.

    Args:
        count: of what is parted.
        at_once: no part is larger, unless `least` is.
        least: no part is smaller, unless it is the only one.
    """
    parts = -(-count // at_once)
    if parts > 1:
        parts += -parts % usable_cores()
    parts = max(1, min(parts, count // least))
    borders = [count * number // parts for number in range(parts + 1)]
    return [range(start, stop) for start, stop in pairwise(borders)]


def in_threads(
    work: Callable[[int], Found], blocks: Sequence[int], threads: int
) -> Iterator[Found]:
    """The work of each block, in their order; numpy lets others run while it is in an array.

    Args:
        work: what is done with a block; it shares nothing that another one writes.
        blocks: their numbers.
        threads: at most so many.
    """
    if min(threads, len(blocks)) <= 1:
        yield from map(work, blocks)
        return
    with ThreadPoolExecutor(min(threads, len(blocks))) as pool:
        try:
            yield from pool.map(work, blocks)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
