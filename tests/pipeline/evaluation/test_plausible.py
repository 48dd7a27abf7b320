"""The plausible view: unjudged evidence graded as often as judged evidence is, many times."""

import math

import numpy as np
import pytest
from five_queries_study import OPENED, five_queries, row
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from pipeline.evaluation import compute
from pipeline.evaluation.bounds import bounds, rates
from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.plausible import imputed_differences, pooled
from pipeline.evaluation.bounds.rates import ELSEWHERE, Rates, places_of, rates_of
from pipeline.measures import parse_measure
from tests.pipeline.evaluation.test_critical import even, params, part, runs


def counts(*numbers):
    return np.array(numbers, dtype=float)


def test_a_cell_is_the_band_of_the_best_rank_and_whether_branches_share_it():
    listed = runs({"a": {"q": "x y z"}, "b": {"q": "w y v u x"}, "selected": {"q": "u"}})
    assert places_of(listed, ["a", "b"]) == {
        ("q", "x"): (0, True),
        ("q", "w"): (0, False),
        ("q", "y"): (1, True),
        ("q", "z"): (1, False),
        ("q", "v"): (1, False),
        ("q", "u"): (2, False),
    }


def test_few_judgments_in_a_cell_leave_it_to_its_band_and_then_to_all():
    cells = {(0, True): counts(30, 10), (0, False): counts(5, 1), (3, True): counts(9, 0)}
    found = Rates((0, 1), cells)
    assert found.of((0, True)).tolist() == [30, 10]
    assert found.of((0, False)).tolist() == [35, 11]
    assert found.of((3, True)).tolist() == [44, 11]
    assert found.of(ELSEWHERE).tolist() == [44, 11]


def test_grades_are_drawn_as_often_as_they_are_judged():
    found = Rates((0, 2), {(0, True): counts(3000, 1000), (1, False): counts(1000, 0)})
    drawn = found.draw([(0, True), (1, False)], 4000, np.random.default_rng(1))
    # Within four standard errors of 1/4; the second cell has one judgment of all grades beside.
    assert (drawn[:, 0] == 2).mean() == pytest.approx(0.25, abs=0.03)
    assert (drawn[:, 1] == 2).mean() < 0.01
    assert set(np.unique(drawn)) <= {0, 2}


def test_too_few_judgments_are_no_rates():
    lists, grades = even(wins=3, losses=2, unjudged=0)
    assert rates_of(runs(lists), ["b"], part(sorted(lists["b"]), grades)) is None
    lists, grades = even(wins=8, losses=3, unjudged=10)
    found = rates_of(runs(lists), ["b"], part(sorted(lists["b"]), grades))
    assert found is not None
    # b shows x first 18 times and r 3 times; second the other way round.
    assert found.cells[0, False].tolist() == [18, 3]
    assert found.cells[1, False].tolist() == [3, 18]


def test_rubins_rules_by_hand():
    # Two imputations of three queries: means .2 and .4, errors .1 and .2.
    values = np.array([[0.2 - math.sqrt(0.03), 0.2, 0.2 + math.sqrt(0.03)]]).T
    other = np.array([[0.4 - math.sqrt(0.12), 0.4, 0.4 + math.sqrt(0.12)]]).T
    found = pooled(np.hstack([values, other]), np.arange(3), 0.05)
    within, between = (0.1**2 + 0.2**2) / 2, 0.02
    total = within + 1.5 * between
    missing = 1.5 * between / total
    old, observed = 1 / missing**2, 3 / 5 * 2 * (1 - missing)
    freedom = 1 / (1 / old + 1 / observed)
    assert found.delta == pytest.approx(0.3)
    assert found.low == pytest.approx(0.3 - stats.t.ppf(0.95, freedom) * math.sqrt(total))
    assert found.high == pytest.approx(0.3 + stats.t.ppf(0.95, freedom) * math.sqrt(total))


@given(st.lists(st.floats(-1, 1, width=16), min_size=3, max_size=8))
def test_imputations_that_agree_never_narrow_the_interval(gains):
    values = np.array([gains] * 2).T
    groups = np.arange(len(gains))
    found = pooled(values, groups, 0.05)
    error = np.std(gains, ddof=1) / math.sqrt(len(gains))
    reach = stats.t.ppf(0.95, len(gains) - 1) * error
    assert found.delta == pytest.approx(np.mean(gains), abs=1e-9)
    if found.low is not None:
        assert found.low <= np.mean(gains) - reach + 1e-9


def test_nothing_unjudged_is_the_same_each_time():
    duel = Duel("q", ("a", "b"), ("b", "a"), {"a": 1, "b": 0})
    found = imputed_differences(
        [duel],
        Rates((0, 1), {(0, True): counts(20, 20)}),
        {},
        parse_measure("nDCG@2"),
        rel=1,
        generator=np.random.default_rng(1),
    )
    assert np.unique(found) == pytest.approx([1 - 1 / math.log2(3)])


def test_it_lies_between_worst_and_best_and_comes_out_the_same_again():
    lists, grades = even(wins=8, losses=3, unjudged=10)
    held, whole = part(sorted(lists["selected"]), grades), runs(lists)
    found = rates_of(whole, ["b"], held)
    table = bounds(whole, ["b"], held, params(), found)
    delta = {name: row(table, view=name)["delta"] for name in table["view"]}
    assert delta["worst"] <= delta["plausible"] <= delta["best"]
    assert table.equals(bounds(whole, ["b"], held, params(), found))
    assert "plausible" not in bounds(whole, ["b"], held, params())["view"]


def test_five_queries_judge_too_little_for_it():
    assert rates.ENOUGH > 5
    assert "plausible" not in compute(**five_queries(ledger=[OPENED])).bounds["view"]


def test_a_foreign_measure_has_the_plain_view_alone():
    lists, grades = even(wins=8, losses=3, unjudged=10)
    of = params(selection={"measure": "Rprec"})
    table = bounds(runs(lists), ["b"], part(sorted(lists["b"]), grades), of)
    assert table["view"].to_list() == ["non_relevant"]
