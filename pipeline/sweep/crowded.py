"""Sums of three and more, added from the greatest on, where so many branches meet in a cell."""

from collections.abc import Sequence

import numpy as np

from pipeline.sweep.collapsed import Reals, Wholes


class Crowded:
    """The cells in which the order of adding can be seen.

    A sum of two is the same either way: only where more are added does their order matter. Its
    arrays are made once and filled again for every batch of configurations.

    Args:
        cells: their places in a flattened (queries, columns) array.
        width: how many cells that array has.
        branches: how many contributions there are.
    """

    def __init__(self, cells: Wholes, width: int, branches: int) -> None:
        self.cells, self._width, self._branches = cells, width, branches
        self._room = np.empty((branches + 1, 0, len(cells)))
        self._places = np.empty((0, len(cells)), dtype=np.int64)

    def room(self, configurations: int) -> list[Reals]:
        """An array (configurations, cells) for each branch, and one to spare, last."""
        if self._room.shape[1] < configurations:
            self._room = np.empty((self._branches + 1, configurations, len(self.cells)))
            rows = np.arange(configurations, dtype=np.int64) * self._width
            self._places = rows[:, None] + self.cells
        return [array[:configurations] for array in self._room]

    def settle(self, room: Sequence[Reals], out: Reals) -> None:
        """Puts the sums where they belong.

        Args:
            room: as from `room`, filled but for the last; overwritten.
            out: (configurations, all cells), in one piece.
        """
        places = self._places[: len(out)]
        out.reshape(-1)[places] = _descending(room[:-1], room[-1])


def _descending(values: Sequence[Reals], spare: Reals) -> Reals:
    """The sum over branches, added from the greatest on, as `descending_sum` does by column."""
    ordered = list(values)
    # A network of exchanges: for the few branches there are, far cheaper than sorting each cell.
    for last in range(len(ordered) - 1, 0, -1):
        for place in range(last):
            one, other = ordered[place], ordered[place + 1]
            np.maximum(one, other, out=spare)
            np.minimum(one, other, out=other)
            ordered[place], spare = spare, one
    total = ordered[0]
    for value in ordered[1:]:
        np.add(total, value, out=total)
    return total
