"""The order from one integer key per item, against a plain sort."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sweep.order import fused_order

# Neighbouring floats differ in the bits that a key has no room for.
CLOSE = st.sampled_from(
    [0.0, -0.0, 0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 0), 1.0, -1.0, np.nextafter(-1.0, 0)]
)


@given(
    st.lists(
        st.lists(st.one_of(CLOSE, st.floats(-10, 10)), min_size=5, max_size=5),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 6),
    st.data(),
)
def test_order_is_score_then_column_to_the_last_bit(
    table: list[list[float]], depth: int, data: st.DataObject
) -> None:
    scores = np.array(table)
    returned = np.array(
        data.draw(st.lists(st.integers(0, 5), min_size=len(table), max_size=len(table)))
    )
    found = fused_order(scores, returned, depth)
    for row, (line, count) in enumerate(zip(table, returned, strict=True)):
        expected = sorted(range(count), key=lambda column: (-line[column], column))
        assert found[row].tolist()[:count] == expected[:depth]


def test_no_items_at_all_make_an_empty_order() -> None:
    assert fused_order(np.zeros((3, 0)), np.zeros(3, dtype=np.int64), 10).shape == (3, 0)
