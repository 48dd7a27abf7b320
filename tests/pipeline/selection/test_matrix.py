"""The matrix that selection keeps, from a table in pieces of any cut."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.pieces import Pieces, matching
from pipeline.selection.matrix import read_matrix
from pipeline.tables import SWEEP_PER_QUERY


def table(values: dict[str, list[float | None]], measure: str = "RR@5") -> pl.DataFrame:
    rows = [
        {"configuration": one, "query_id": f"q{n}", "measure": name, "value": value}
        for one, line in values.items()
        for n, value in enumerate(line)
        for name in (measure, "other")
    ]
    return SWEEP_PER_QUERY.check(pl.DataFrame(rows, schema=dict(SWEEP_PER_QUERY.columns)))


def cut(frame: pl.DataFrame, rows: int) -> Pieces:
    return Pieces(lambda: iter(frame.iter_slices(rows)))


VALUES = {"x": [0.1, None, 0.3, 1.0], "y": [0.5, 0.6, 0.7, 0.0], "z": [0.0, 1.0, 0.2, 0.4]}


@given(st.integers(1, 30))
def test_wherever_the_pieces_end_the_matrix_is_the_same(rows: int) -> None:
    ids, queries, values = read_matrix(cut(table(VALUES), rows), "RR@5", without=["q3"])
    assert ids == ["x", "y", "z"]
    assert queries == ["q0", "q2"]  # q1 is undefined for x, q3 was to be left out
    assert values.tolist() == [[0.1, 0.3], [0.5, 0.7], [0.0, 0.2]]


def test_where_less_is_better_values_are_turned() -> None:
    _, _, values = read_matrix(table({"x": [1.0, 0.0]}, "ZeroHit@5"), "ZeroHit@5")
    assert values.tolist() == [[-1.0, 0.0]]


@pytest.mark.parametrize("without", [[], ["q0"]])
def test_nothing_to_read_is_an_empty_matrix(without: list[str]) -> None:
    frame = table({"x": [1.0]}).head(2 * len(without))
    ids, queries, values = read_matrix(frame, "RR@5", without=without)
    assert (ids, queries, values.shape) == ([], [], (0, 0))


def test_rows_are_found_in_any_piece() -> None:
    found = matching(cut(table(VALUES), 5), pl.col("configuration") == "y")
    assert found.equals(table(VALUES).filter(pl.col("configuration") == "y"))
    assert np.isclose(found["value"].sum(), 2 * 1.8)
