"""The winner's curse: what the rule's choice is worth where it did not look."""

import numpy as np
import pytest
import rows
from hypothesis import given
from hypothesis import strategies as st

from pipeline.grid.bag import bag
from pipeline.selection import out_of_bag as bagging
from pipeline.selection import rule, ties
from pipeline.selection.dev import read_dev
from pipeline.selection.latency import TooSlow
from pipeline.selection.out_of_bag import Repeated, repeat
from pipeline.selection.rule import Problem, SliceVeto, choose
from pipeline.selection.search import Verdict, search
from tests.pipeline.sweep.test_sweep_stage import QUERIES, SMALL, judgments, study, swept


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


def out_of_bag(one: Verdict, seed: int) -> float | None:
    """The choice on samples of the groups, where no depth is chosen first."""
    weightings = bag(seed, len(one.problem.counts))
    which = np.zeros(len(weightings), dtype=np.int64)
    return bagging.out_of_bag(Repeated([one.problem], which, weightings))


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


def test_repetitions_of_the_rule_take_no_differences_of_every_group_by_themselves(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The slow way, once for each of the samples; all together they are a few products."""
    one, taken = verdict(np.random.default_rng(1).random((200, 300))), []
    for module in (rule, ties):
        monkeypatch.setattr(module, "paired_errors", lambda *given: taken.append(given))
    assert out_of_bag(one, 7) is not None
    assert taken == []


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_on_all_groups_once_it_is_the_real_choice(seed: int, barring: bool) -> None:
    """Exclusions, ties, stability and simplicity are the same rule for dev and for its samples."""
    random = np.random.default_rng(seed)
    values, groups = random.random((6, 12)).round(1), np.ones(12)
    problem = Problem(
        sums=values,
        counts=groups,
        near=random.integers(-1, 6, (6, 2)),
        stable_share=0.8,
        barred=random.random(6) < (0.5 if barring else 0.0),
        vetoes=[SliceVeto("names", 0.1, values * (groups * 0.5), groups, random.random((1, 12)))],
        baselines=random.random((1, 12)),
    )
    real = choose(problem, groups[None])
    again = Repeated([problem], np.zeros(3, dtype=np.int64), np.stack([groups] * 3))
    assert again.choices.tolist() == [int(real.chosen[0])] * 3


# Deep evidence in q2 and q4: some samples hold it, some do not.
DEEP = {("q0", "x"): 1, ("q1", "y"): 1, ("q2", "v"): 1, ("q3", "x"): 1, ("q4", "w"): 1}
TWO_DEPTHS = {"sweep": SMALL | {"depths": [2, 4]}}
NONE_SLOW = TooSlow()


def repeated(**sections: object) -> tuple[Verdict, Repeated]:
    """A sweep over two depths, the choice on it, and its repetitions."""
    params, labels = study(**TWO_DEPTHS, **sections), judgments(DEEP)
    sweep, splits = swept("dev", labels, **TWO_DEPTHS), rows.splits(dict.fromkeys(QUERIES, "dev"))
    queries = rows.queries(dict.fromkeys(QUERIES, "text"))
    dev = read_dev(
        sweep.configurations, sweep.grids, sweep.results, sweep.per_query, splits, queries, params
    )
    verdict = search(dev, "declared", params).get(None)
    assert verdict is not None
    return verdict, repeat(dev, verdict, params, NONE_SLOW, splits, sweep.depth_recall)


def test_samples_choose_their_own_depth() -> None:
    _, again = repeated()
    assert sorted(set(again.which.tolist())) == [0, 1]
    assert again.problems[0].sums.tolist() != again.problems[1].sums.tolist()


def test_a_sample_of_every_group_once_is_the_real_choice_depth_and_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bagging, "bag", lambda seed, groups: np.ones((1, groups)))
    verdict, again = repeated()
    (place,), (chosen,) = again.which, again.choices
    assert again.problems[place] is verdict.problem or np.array_equal(
        again.problems[place].sums, verdict.problem.sums
    )
    assert verdict.points[chosen] == verdict.chosen
