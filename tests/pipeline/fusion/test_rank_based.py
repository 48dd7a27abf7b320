"""Inverse square rank and Borda."""

from listing import even, lists, scored

from pipeline.fusion import Contract

BOTH = lists(a={"q1": ["x", "y"]}, b={"q1": ["y", "z", "x"]})


def test_inverse_square_rank():
    assert scored(BOTH, even("isr", "a", "b")) == {
        "y": 0.5 / 4 + 0.5,
        "x": 0.5 + 0.5 / 9,
        "z": 0.5 / 4,
    }


def test_borda_counts_the_places_from_the_declared_depth():
    # Depth 3: places 1, 2, 3 give 3, 2, 1 points in every list, however short it is.
    assert scored(BOTH, even("borda", "a", "b", depth=3)) == {"y": 2.5, "x": 2.0, "z": 1.0}


def test_borda_points_weigh_as_their_branch():
    contract = Contract.of("borda", weights={"a": 3, "b": 1}, depths={"a": 3, "b": 3})
    assert scored(BOTH, contract) == {"x": 0.75 * 3 + 0.25, "y": 0.75 * 2 + 0.25 * 3, "z": 0.5}


def test_borda_gives_an_item_past_the_depth_no_points():
    assert scored(BOTH, even("borda", "a", "b", depth=3, missing="past_depth")) == scored(
        BOTH, even("borda", "a", "b", depth=3)
    )
