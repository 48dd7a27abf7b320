"""A table that need not fit into memory: frames, one after the other, as often as asked for."""

from collections.abc import Callable, Iterable, Iterator

import polars as pl

Frames = pl.DataFrame | Iterable[pl.DataFrame]
"""A table in one frame, or in pieces."""


class Pieces:
    """Frames that make one table when put one below the other; sorted, in its order.

    Each time it is gone through the pieces are made, or read, anew; none is kept.

    Args:
        make: gives the pieces; at least one, empty where the table is.
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], Iterator[pl.DataFrame]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[pl.DataFrame]:
        return self._make()

    def whole(self) -> pl.DataFrame:
        """All of it in one frame."""
        return pl.concat(self._make())


def in_pieces(table: Frames) -> Iterable[pl.DataFrame]:
    """The pieces of a table; a frame is one."""
    return [table] if isinstance(table, pl.DataFrame) else table


def matching(table: Frames, *conditions: pl.Expr) -> pl.DataFrame:
    """The rows that meet the conditions, in one frame."""
    return pl.concat(piece.filter(*conditions) for piece in in_pieces(table))
