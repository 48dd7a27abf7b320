"""At which depths the selected fusion is tried, and what it is there."""

import pytest

from pipeline.fusion import Configuration
from pipeline.times.depths import at_depth, tried_depths
from tests.rows import params

OF = params(
    {"a": {"kind": "bm25", "depth": 100}, "b": {"kind": "bm25", "depth": 60}},
    sweep={"depths": [10, 50, 100]},
)
CHOSEN = Configuration.of(
    "rrf", rank_constant=60, weights={"a": 1, "b": 1}, depths={"a": 50, "b": 20}
)


def test_declared_depths_are_tried_up_to_the_deepest_branch():
    assert tried_depths(OF) == (10, 50, 100)


@pytest.mark.parametrize(
    ("depth", "a", "b"),
    [(10, 10, 10), (30, 30, 20), (50, 50, 20), (55, 55, 55), (100, 100, 60)],
)
def test_below_its_own_depth_branches_are_cut_and_above_it_asked_for_more(depth, a, b):
    assert dict(at_depth(CHOSEN, depth, OF).depths) == {"a": a, "b": b}


def test_at_its_own_depth_it_is_the_selected_configuration():
    assert at_depth(CHOSEN, 50, OF) == CHOSEN
