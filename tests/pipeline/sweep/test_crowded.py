"""Sums from the greatest on, in whole arrays, against the same sum item by item."""

import numpy as np
import pytest

from pipeline.fusion.combine import descending_sum
from pipeline.sweep.crowded import Crowded


@pytest.mark.parametrize("branches", [3, 4, 8])
def test_crowded_cells_get_the_sum_from_the_greatest_on_and_others_keep_theirs(
    branches: int,
) -> None:
    random = np.random.default_rng(branches)
    cells = np.array([1, 4, 5])
    crowded = Crowded(cells, 7, branches)
    for configurations in (4, 2):  # a last batch is shorter
        values = random.random((branches, configurations, 3)) * 10.0 ** random.integers(-6, 6, 3)
        room, out = crowded.room(configurations), np.full((configurations, 7), -1.0)
        for array, each in zip(room, values, strict=False):
            array[...] = each
        crowded.settle(room, out)
        by_cell = values.reshape(branches, -1).T
        expected = descending_sum(by_cell, np.ones(by_cell.shape, dtype=np.bool_))
        assert out[:, cells].ravel().tolist() == expected.tolist()
        assert (np.delete(out, cells, axis=1) == -1.0).all()
