"""Groups onto parts: close to the shares, whole, never an empty part."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.splits.allocation import allocate
from pipeline.splits.group import Group
from pipeline.splits.sides import Part
from pipeline.splits.stratified import stratified_folds

DEV, TEST = Part("dev"), Part("test")


def folds(count: int) -> dict[Part, float]:
    return {Part("crossfit", fold): 1 / count for fold in range(count)}


def of(labels: dict[str, str]) -> list[Group]:
    """Groups by name and the labels of their queries, one letter each."""
    return [Group(name, tuple(strata)) for name, strata in labels.items()]


def queries_on(groups: list[Group], allocated: dict[str, Part]) -> Counter[Part]:
    return Counter(allocated[group.id] for group in groups for _ in group.strata)


def test_more_folds_than_groups_are_refused_with_both_numbers() -> None:
    with pytest.raises(ParameterError, match=r"found 3 query group.*at least 4 groups"):
        allocate(of({"g1": "aa", "g2": "aa", "g3": "aa"}), folds(4), seed=7)


@pytest.mark.parametrize("seed", range(20))
def test_no_fold_is_empty_where_a_tie_in_the_last_bit_tempts(seed: int) -> None:
    groups = of({"g0": "110", "g1": "012", "g2": "2", "g3": "201"})
    allocated = allocate(groups, folds(4), seed=seed)
    assert sorted(queries_on(groups, allocated).values()) == [1, 3, 3, 3]


def test_a_splitter_that_leaves_a_fold_empty_is_not_followed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Careless:
        """Holds everything in the first fold, as a splitter may on a tie."""

        def __init__(self, *_: object, **__: object) -> None: ...

        def split(self, names: np.ndarray, *_: object) -> list[tuple[None, np.ndarray]]:
            return [(None, np.arange(len(names))), (None, np.arange(0))]

    monkeypatch.setattr("sklearn.model_selection.StratifiedGroupKFold", Careless)
    groups = of({"a": "x", "b": "x"})
    assert stratified_folds(groups, folds(2), seed=7) == []
    assert set(allocate(groups, folds(2), seed=7).values()) == set(folds(2))


@pytest.mark.parametrize("seed", range(100))
def test_shuffling_does_not_undo_stratification(seed: int) -> None:
    sizes = [("p", 6), ("n", 6), ("p", 2), ("n", 2), ("p", 4), ("n", 4), ("p", 3), ("n", 3)]
    groups = of({f"g{i}": label * size for i, (label, size) in enumerate(sizes)})
    allocated = allocate(groups, folds(2), seed=seed)
    for part in folds(2):
        held = [s for group in groups if allocated[group.id] == part for s in group.strata]
        assert len(held) == 15
        assert held.count("p") in {7, 8}


@pytest.mark.parametrize("seed", range(20))
def test_shares_are_of_queries_and_not_of_groups(seed: int) -> None:
    groups = of({"big": "a" * 8, "s1": "a", "s2": "a"})
    allocated = allocate(groups, {DEV: 0.8, TEST: 0.2}, seed=seed)
    assert allocated == {"big": DEV, "s1": TEST, "s2": TEST}


def test_every_label_is_on_both_sides_where_that_can_be() -> None:
    groups = of({"u": "1", "v": "10", "w": "0", "x": "2", "y": "2"})
    allocated = allocate(groups, folds(2), seed=7)
    assert allocated["x"] != allocated["y"]
    assert allocated["v"] not in {allocated["u"], allocated["w"]}


def test_one_part_takes_all() -> None:
    assert allocate(of({"a": "x", "b": "y"}), {TEST: 1.0}, seed=7) == {"a": TEST, "b": TEST}


def test_new_groups_fill_the_side_that_lacks_most() -> None:
    occupied = {DEV: ["a"] * 6, TEST: ["a"] * 2}
    new = of({f"n{i}": "a" for i in range(4)})
    allocated = allocate(new, {DEV: 0.5, TEST: 0.5}, seed=7, occupied=occupied)
    assert set(allocated.values()) == {TEST}


def test_small_sides_get_groups_of_all_sizes() -> None:
    groups = of({f"g{i:03}": "a" * (1 + i % 4) for i in range(200)})
    shares = {DEV: 0.4, TEST: 0.4, Part("reserve"): 0.2}
    allocated = allocate(groups, shares, seed=7)
    reserve = Counter(len(g.strata) for g in groups if allocated[g.id] == Part("reserve"))
    assert min(reserve[size] for size in (1, 2, 3, 4)) >= 5


SOME = st.dictionaries(
    st.text("abcdef", min_size=1, max_size=3), st.text("xyz", min_size=1, max_size=5), min_size=4
)
SHARES = st.sampled_from(
    [{DEV: 0.5, TEST: 0.5}, {DEV: 0.9, TEST: 0.1}, {DEV: 1 / 3, TEST: 2 / 3}, folds(3), folds(4)]
)


@given(SOME, SHARES, st.integers(0, 5), st.randoms(use_true_random=False))
def test_complete_without_empty_parts_and_whatever_the_order(
    labels: dict[str, str], shares: dict[Part, float], seed: int, random
) -> None:
    groups = of(labels)
    allocated = allocate(groups, shares, seed=seed)
    assert allocated.keys() == labels.keys()
    assert set(allocated.values()) == set(shares)
    random.shuffle(groups)
    assert allocate(groups, shares, seed=seed) == allocated


@given(SOME, SHARES, st.integers(0, 5))
def test_a_part_misses_its_share_by_less_than_the_largest_group(
    labels: dict[str, str], shares: dict[Part, float], seed: int
) -> None:
    groups = of({name: "x" * len(strata) for name, strata in labels.items()})
    held = queries_on(groups, allocate(groups, shares, seed=seed))
    largest = max(len(group.strata) for group in groups)
    for part, share in shares.items():
        assert held[part] - share * held.total() <= largest + 1e-9
