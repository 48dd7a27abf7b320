"""Draws that depend on names, never on the order of calls."""

from pipeline.statistics import named_generator, named_seed


def test_the_same_names_draw_the_same_and_others_draw_others() -> None:
    first = named_generator(7, "nDCG@10", "rrf").random(3).tolist()
    assert first == named_generator(7, "nDCG@10", "rrf").random(3).tolist()
    assert first != named_generator(8, "nDCG@10", "rrf").random(3).tolist()
    assert first != named_generator(7, "nDCG@5", "rrf").random(3).tolist()


def test_names_do_not_run_together() -> None:
    assert named_seed(7, "a", "b") != named_seed(7, "ab")
    assert named_seed(7, "a, b") != named_seed(7, "a", "b")


def test_a_seed_made_of_names_is_a_seed_again() -> None:
    nested = named_seed(named_seed(7, "nDCG@10"), "rrf")
    assert 0 <= nested < 2**128
    assert nested != named_seed(7, "rrf")
