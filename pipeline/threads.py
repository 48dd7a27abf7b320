"""One thread for linear algebra: a sum taken in another order is another sum."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import ThreadpoolController


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
