"""The fast road of the false-ship benchmark says what whole studies say; its nulls are nulls."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from benchmarks.false_ship.cases import coverage, degraded, slices, zero_hits
from benchmarks.false_ship.choosing import Sample, select, select_without
from benchmarks.false_ship.collections import HANDBOOK, SOURCES
from benchmarks.false_ship.comparing import against_branches, settle, status_of, word
from benchmarks.false_ship.drawing import power_curve
from benchmarks.false_ship.draws import draw, drawn
from benchmarks.false_ship.nulls import words_of
from benchmarks.false_ship.outcomes import Outcome, refuted
from benchmarks.false_ship.populations import PRIMARY, Population, populate, prepared_once
from benchmarks.false_ship.power import GAINS, Power
from benchmarks.false_ship.rates import Rate
from benchmarks.false_ship.robust import robust
from benchmarks.false_ship.sizes import worst_case_added
from benchmarks.false_ship.tilting import evenness, tilted, tilted_together
from benchmarks.false_ship.whole import whole_crossfit, whole_study
from benchmarks.verdicts import main
from pipeline.collection import read_collection
from pipeline.statistics import Grouped
from pipeline.study import Prepared, Study

RESAMPLES = 200
SLICE = "paraphrase"


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    params = SOURCES["handbook"].params(1)
    return prepared_once(read_collection(HANDBOOK, params=params.collection), params)


def population(prepared: Prepared, points: int = 9, **sections: object) -> Population:
    evaluation = {"measures": [PRIMARY, "ZeroHit@10", "Judged@10"], "resamples": RESAMPLES}
    params = SOURCES["handbook"].params(points, evaluation=evaluation, **sections)
    return populate(prepared, params)


def gate_of(study: Study, name: str) -> dict:
    (gate,) = [one for one in study.decision.decision["gates"] if one["gate"] == name]
    return gate


def figures(gate: dict) -> list[tuple]:
    parts = sorted(gate["evidence"], key=lambda one: one["baseline"])
    keys = ("baseline", "delta", "low", "high", "queries", "groups", "groups_with_a_difference")
    return [tuple(part[key] for key in (*keys, "status")) for part in parts]


def expected(parts: list) -> list[tuple]:
    found = []
    for one, status in parts:
        ends = (pytest.approx(end, abs=1e-12) for end in (one.delta, one.low, one.high))
        counts = (one.queries, one.groups, one.groups_with_a_difference)
        found.append((one.baseline, *ends, *counts, status))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("groups", "margin"), [(15, 0.0), (32, 0.1), (61, 0.0)])
def test_the_fast_road_gives_the_words_and_figures_of_whole_studies(
    prepared: Prepared, groups: int, margin: float
) -> None:
    asked = {"question": "not_worse", "decision": {"primary": {"tolerance": margin}}}
    of = population(prepared, 81, **asked)
    draws = draw(of, 1, groups, "test", weights=of.even, seed=groups)
    test = drawn(draws.test, of.even)
    choice = select(of, draws.dev)
    whole = whole_study(of, draws.dev[0], test[0], seed=5)
    compared = against_branches(of, choice.points[0], Sample.of(of, test[0]), -margin)
    parts = settle(compared, seed=5, resamples=RESAMPLES, always=True)
    assert whole.selection.selection["configuration"]["id"] == of.points[choice.points[0]].id
    assert whole.selection.selection["best_branch"] == of.branches[choice.best_branch[0]]
    assert figures(gate_of(whole, "primary")) == expected(parts)
    assert whole.decision.decision["word"] == word({"primary": status_of(parts)})


@pytest.mark.slow
def test_so_it_does_under_crossfit(prepared: Prepared) -> None:
    of = population(prepared)
    draws = draw(of, 1, 31, "test", weights=of.even, seed=3)
    choice = select_without(of, draws.dev)
    whole = whole_crossfit(of, draws.dev[0], seed=4)
    folds = whole.selection.selection["folds"]
    assert [folds[str(fold)]["id"] for fold in range(5)] == [
        of.points[point].id for point in choice.points[0]
    ]
    compared = against_branches(of, choice.points[0], Sample.of(of, draws.dev[0]), 0.0)
    parts = settle(compared, seed=4, resamples=RESAMPLES, always=True)
    assert figures(gate_of(whole, "primary")) == expected(parts)


LIMITS = {
    "zero_hits": {"tolerance": 0.3},
    "slices": {SLICE: {"tolerance": 0.3}},
    "degraded": {"floor": 0.6},
    "coverage": {"judged": 0.9, "gap": 1.0},
}
CASES = (zero_hits(0.3), slices(SLICE, 0.3), degraded(0.6), coverage(0.9))


@pytest.mark.slow
def test_every_gate_has_the_status_of_whole_studies(prepared: Prepared) -> None:
    of = population(prepared, decision=LIMITS, collection={"regime": "pooled"})
    draws = draw(of, 1, 120, "gates", weights=of.even, seed=11)
    test = drawn(draws.test, of.even)
    choice = select(of, draws.dev)
    whole = whole_study(of, draws.dev[0], test[0], seed=2)
    pair = int(choice.points[0]), len(of.points) + int(choice.best_branch[0])
    for case in CASES:
        status = case.status(of, pair, Sample.of(of, test[0]), 2)
        assert gate_of(whole, case.gate)["status"] == status


@pytest.mark.slow
def test_robust_passes_where_it_passes_in_a_whole_study(prepared: Prepared) -> None:
    regime = {"regime": "pooled"}
    case = robust(population(prepared, 1, collection=regime))
    limits = {"primary": {"tolerance": -case.margin}, "robust": True}
    of = population(prepared, 1, collection=regime, question="not_worse", decision=limits)
    draws = draw(of, 6, 40, "robust", weights=of.even, seed=1)
    test = drawn(draws.test, of.even)
    seen = []
    for number in range(2):
        whole = whole_study(of, draws.dev[number], test[number], seed=number)
        status = case.status(of, (0, 1), Sample.of(of, test[number]), number)
        assert (gate_of(whole, "robust")["status"] == "pass") == (status == "pass")
        seen.append(status)
    assert seen


def test_draws_that_can_change_nothing_are_not_made(prepared: Prepared) -> None:
    """Words with every bootstrap drawn are the words without the needless ones."""
    of = population(prepared)
    draws = draw(of, 60, 30, "lazy", weights=of.even, seed=8)
    test, choice = drawn(draws.test, of.even), select(of, draws.dev)
    said = Counter()
    for number in range(60):
        sample = Sample.of(of, test[number])
        compared = against_branches(of, choice.points[number], sample, -0.01)
        parts = settle(compared, seed=number, resamples=RESAMPLES, always=True)
        said[word({"primary": status_of(parts)})] += 1
    assert said == words_of(of, choice.points, test, -0.01)
    assert len(said) > 1


excesses = st.lists(st.floats(-1, 1), min_size=3, max_size=30)


@settings(max_examples=60)
@given(excess=excesses)
def test_a_tilt_brings_the_mean_to_the_limit_and_keeps_every_group(excess: list[float]) -> None:
    assume(min(excess) < -1e-3 and max(excess) > 1e-3)
    weights = tilted(np.array(excess))
    assert weights is not None
    assert weights @ np.array(excess) == pytest.approx(0.0, abs=1e-9)
    assert weights.sum() == pytest.approx(1.0)
    assert (weights > 0).all()


def test_no_tilt_makes_losses_of_gains_alone() -> None:
    assert tilted(np.array([0.0, 0.1, 0.4])) is None
    assert tilted(np.array([0.0, -0.1])) is None


def test_a_tilt_of_two_groups_can_be_redone_by_hand() -> None:
    """One group at +3, one at −1: weights 1/4 and 3/4."""
    assert tilted(np.array([3.0, -1.0])) == pytest.approx([0.25, 0.75])


def test_the_joint_tilt_brings_all_configurations_near_one_gain(prepared: Prepared) -> None:
    of = population(prepared)
    weights = tilted_together(of, 0.0)
    gains = of.gains(weights)
    assert gains.max() <= 0.0
    assert np.ptp(gains) < 0.1 * np.ptp(of.gains(of.even))
    # All groups can still be drawn.
    assert weights.min() > 0.0
    assert evenness(weights) >= 0.4


def test_every_grid_is_tried_on_the_same_draws(prepared: Prepared) -> None:
    small, large = population(prepared, 1), population(prepared, 9)
    one, other = (draw(of, 3, 15, "x", weights=of.even, seed=1) for of in (small, large))
    assert (one.dev == other.dev).all()
    assert (one.test == other.test).all()


def test_the_worst_case_is_one_more_group_where_all_is_lost() -> None:
    """With one group of difference 1 the mean is 1 − 2B, B uniform: its 5 % quantile is −0.9."""
    data = Grouped.of(np.array([1.0]), np.array([0]))
    draws = [worst_case_added(data, np.random.default_rng(seed)) for seed in range(20)]
    assert np.mean(draws) == pytest.approx(-0.9, abs=0.01)


def test_the_curve_is_drawn_the_same_each_time() -> None:
    rates = [Rate(10 * place, 100) for place in range(len(GAINS))]
    powers = [Power("scifact", 81, groups, GAINS, rates) for groups in (15, 30)]
    drawing = power_curve(powers)
    assert drawing == power_curve(powers)
    assert drawing.lstrip().startswith("<?xml")
    assert "scifact" in drawing


def test_a_refuted_demand_is_named() -> None:
    """100 of 1,000 where 5 % is demanded; 55 of 1,000 do not refute it."""
    words = {"ship": 100, "inconclusive": 900}
    missed = Outcome("best gain", "scifact", 1, 60, "holdout", 0.0, words, 0.05)
    kept = replace(missed, words={"ship": 55, "inconclusive": 945})
    assert refuted([missed, kept]) == [missed]


def test_a_rate_carries_its_exact_interval() -> None:
    """Clopper & Pearson by the beta distribution: 7 of 200."""
    low, high = Rate(7, 200).interval
    assert low == pytest.approx(beta.ppf(0.025, 7, 194))
    assert high == pytest.approx(beta.ppf(0.975, 8, 193))
    assert Rate(7, 200).keeps(0.05)
    assert not Rate(30, 200).keeps(0.05)


@pytest.mark.slow
def test_the_quick_run_prints_every_table_and_writes_nothing() -> None:
    before = sorted(path.name for path in (Path(__file__).parents[2] / "docs").iterdir())
    done = CliRunner().invoke(main, ["--quick"], catch_exceptions=False)
    assert done.exit_code == 0
    for heading in ("best gain", "all tilted", "each tilted", "zero_hits", "robust", "sizes"):
        assert heading in done.stdout
    assert sorted(path.name for path in (Path(__file__).parents[2] / "docs").iterdir()) == before


def test_the_wider_interval_can_be_measured_at_every_number_of_groups(prepared: Prepared) -> None:
    of = population(prepared)
    draws = draw(of, 1, 80, "wide", weights=of.even, seed=3)
    sample = Sample.of(of, drawn(draws.test, of.even)[0])
    lows = []
    for one in (of, replace(of, widest=True)):
        compared = against_branches(one, np.array(0), sample, 0.0)
        lows.append([part.low for part, _ in settle(compared, seed=1, resamples=200, always=True)])
    assert all(wide <= gate for gate, wide in zip(*lows, strict=True))
    assert lows[0] != lows[1]
