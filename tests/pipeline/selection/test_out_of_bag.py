"""The winner's curse: what the rule's choice is worth where it did not look."""

import time

import numpy as np
import pytest

from pipeline.selection.rule import Problem, choose
from pipeline.selection.search import Verdict, out_of_bag


def verdict(values: np.ndarray, counts: np.ndarray | None = None) -> Verdict:
    groups = values.shape[1]
    problem = Problem(
        sums=values,
        counts=np.ones(groups) if counts is None else counts,
        near=np.full((len(values), 1), -1),
        stable_share=0.8,
        barred=np.zeros(len(values), dtype=np.bool_),
    )
    ones = np.ones(groups)
    return Verdict((), problem, ones, choose(problem, ones[None]))


def test_the_best_of_many_equals_looks_better_on_dev_than_out_of_bag() -> None:
    """Every point is worth .5; only chance makes one the best."""
    random = np.random.default_rng(5)
    curses, errors = [], []
    for _ in range(20):
        one = verdict(random.beta(2, 2, size=(100, 60)))
        curses.append(one.choices.means.max() - 0.5)
        errors.append(out_of_bag(one, 7) - 0.5)
    assert np.mean(curses) > 0.05
    assert abs(np.mean(errors)) < 0.02


def test_where_all_points_are_equal_there_is_no_curse() -> None:
    """Two queries per group, each worth .3: any choice on any sample is worth .3."""
    one = verdict(np.full((4, 10), 0.6), np.full(10, 2.0))
    assert out_of_bag(one, 7) == pytest.approx(0.3)


def test_one_group_leaves_nothing_out() -> None:
    assert out_of_bag(verdict(np.array([[0.5], [0.4]])), 7) is None


def test_the_seed_alone_decides_the_draws() -> None:
    values = np.random.default_rng(1).random((5, 20))
    assert out_of_bag(verdict(values), 7) == out_of_bag(verdict(values), 7)
    assert out_of_bag(verdict(values), 7) != out_of_bag(verdict(values), 8)


def test_two_hundred_repetitions_of_the_rule_take_no_time_to_speak_of() -> None:
    one = verdict(np.random.default_rng(1).random((200, 300)))
    start = time.process_time()
    out_of_bag(one, 7)
    assert time.process_time() - start < 2
