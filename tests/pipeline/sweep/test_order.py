"""The order from one integer key per item, against a plain sort."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.sweep.order import SHORT, Keys, fused_order

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


@pytest.mark.parametrize("columns", [200, SHORT, SHORT + 1, 500, 1_200])
@pytest.mark.parametrize(
    ("first", "cutoffs"),
    [(10, [10, 100]), (0, [100]), (10, []), (100, [191]), (10, [192]), (0, [])],
)
def test_of_long_rows_the_wanted_first_are_those_of_a_whole_sort(
    columns: int, first: int, cutoffs: list[int]
) -> None:
    random = np.random.default_rng(columns)
    # Few distinct scores and neighbouring floats: ties at every place, a cutoff's among them.
    levels = np.concatenate([random.random(40), np.nextafter(random.random(3), 1), [0.0]])
    scores = np.concatenate([random.choice(levels, (30, columns)), random.random((30, columns))])
    scores[::3, :40] = np.nextafter(0.9, random.integers(0, 2, (20, 40)))
    filled = random.integers(columns // 2, columns + 1, len(scores))
    scores[np.arange(columns) >= filled[:, None]] = 0.0
    maker, keys = Keys(filled, columns), np.empty(scores.shape, dtype=np.int64)
    maker.fill(scores.reshape(1, -1), keys.reshape(1, -1), signed=False)
    own = keys.copy()
    order = maker.order(keys, scores, first=first, cutoffs=cutoffs)
    expected = np.argsort(-scores, axis=1, kind="stable")
    assert (order.top == expected[:, :first]).all()
    own[order.redone] = order.exact
    assert set(order.limits) == {cutoff for cutoff in cutoffs if cutoff < columns}
    for cutoff, limit in order.limits.items():
        within = np.take_along_axis(own <= limit[:, None], expected, axis=1)
        assert within[:, :cutoff].all()
        assert not within[:, cutoff:].any()
