"""Round-robin union."""

from listing import even, lists, scored

BOTH = lists(a={"q1": ["x", "y", "z"]}, b={"q1": ["y", "k", "x"], "q2": ["m"]})


def test_branches_take_turns_by_name_and_a_given_item_is_not_given_again():
    # Slots: x 1, y 2 (again at 3), k 4, z 5 (x again at 6).
    assert scored(BOTH, even("round_robin", "a", "b")) == {
        "x": 1.0,
        "y": 1 / 2,
        "k": 1 / 4,
        "z": 1 / 5,
    }


def test_the_caller_may_say_who_starts():
    found = scored(BOTH, even("round_robin", "a", "b", order=("b", "a")))
    assert list(found) == ["y", "x", "k", "z"]


def test_a_branch_without_a_list_leaves_its_turns_empty():
    assert scored(BOTH, even("round_robin", "a", "b"), "q2") == {"m": 1 / 2}


def test_what_stands_for_a_missing_item_plays_no_part():
    contract = even("round_robin", "a", "b", missing="past_depth")
    assert scored(BOTH, contract) == scored(BOTH, even("round_robin", "a", "b"))
