"""Runs the plan, collection by collection, grid by grid."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.false_ship.cases import coverage, degraded, primary, slices, zero_hits
from benchmarks.false_ship.collections import SOURCES, Source, retrieve
from benchmarks.false_ship.comparing import ALPHA
from benchmarks.false_ship.draws import draw
from benchmarks.false_ship.gates import Case, at_its_limit
from benchmarks.false_ship.nulls import (
    Setting,
    at_the_best_gain,
    at_the_best_gain_by_crossfit,
    each_at_the_margin,
    exchanged_labels,
)
from benchmarks.false_ship.plan import (
    BEST,
    EACH,
    EXCHANGED,
    GATES,
    NULLS,
    SIZES,
    TOGETHER,
    USUAL,
    Plan,
    Results,
    Tilted,
)
from benchmarks.false_ship.populations import Population, Reals, populate
from benchmarks.false_ship.power import power
from benchmarks.false_ship.practice import best_on_the_test
from benchmarks.false_ship.robust import robust
from benchmarks.false_ship.sizes import sizes
from benchmarks.false_ship.tilting import evenness, tilted_together
from benchmarks.false_ship.with_ranx import true_gains_in_ranx, with_ranx
from pipeline.statistics import named_generator
from pipeline.study import Prepared


def run(plan: Plan, beside: Path, folder: Path) -> Iterator[tuple[str, Results]]:
    """The benchmark, step by step.

    Args:
        plan: its size.
        beside: the folder of collections in BEIR's form.
        folder: an empty one for what is imported.

    Yields:
        What was done last, and the results so far.
    """
    results = Results()
    for name in plan.collections:
        prepared = retrieve(SOURCES[name], beside, folder)
        yield f"{name}: retrieved", results
        for points in plan.grids if NULLS in plan.parts else ():
            population = _population(prepared, SOURCES[name], points, plan)
            _nulls(population, plan, results)
            yield f"{name}: {points} points", results
        if GATES in plan.parts:
            _gates(prepared, SOURCES[name], plan, results)
            yield f"{name}: gates", results
        if SIZES in plan.parts:
            _sizes(prepared, SOURCES[name], plan, results)
            yield f"{name}: one configuration by itself", results


def _population(
    prepared: Prepared, source: Source, points: int, plan: Plan, **sections: object
) -> Population:
    evaluation = {"measures": ["nDCG@10"], "resamples": plan.resamples}
    found = populate(prepared, source.params(points, evaluation=evaluation, **sections))
    return replace(found, widest=plan.widest)


def _nulls(population: Population, plan: Plan, results: Results) -> None:
    points = len(population.points)
    tilt = _tilt(population, results)
    for groups in plan.groups:
        natural = _setting(population, groups, population.even, plan, "natural")
        limit, twice = (ALPHA, 2 * ALPHA) if groups >= 30 else (0.0, 0.0)
        results.outcomes += [
            at_the_best_gain(natural, BEST, limit),
            each_at_the_margin(natural, EACH, twice),
        ]
        if points > 1:
            results.practices += best_on_the_test(natural, BEST, natural.best_gain)
        if points <= USUAL:
            results.outcomes.append(at_the_best_gain_by_crossfit(natural, BEST, limit))
        if points == USUAL:
            signs = _signs(population, groups, plan)
            results.outcomes.append(exchanged_labels(natural, EXCHANGED, signs))
            results.powers.append(power(natural))
        _tilted(population, groups, tilt, twice, plan, results)


def _tilted(
    population: Population,
    groups: int,
    weights: Reals,
    limit: float,
    plan: Plan,
    results: Results,
) -> None:
    setting = _setting(population, groups, weights, plan, "tilted")
    points = len(population.points)
    results.outcomes.append(at_the_best_gain(setting, TOGETHER, limit))
    if points > 1:
        results.practices += best_on_the_test(setting, TOGETHER, setting.best_gain)
    if points <= USUAL:
        results.outcomes.append(at_the_best_gain_by_crossfit(setting, TOGETHER, limit))
    asked = plan.ranx and setting.best_gain <= 0 and points == USUAL
    if asked and groups >= 30:
        results.practices.append(with_ranx(setting, TOGETHER, plan.ranx))
        results.ranx_gains[population.name] = true_gains_in_ranx(setting)


def _tilt(population: Population, results: Results) -> Reals:
    """Weights under which all gains are about the same: 0 where most of the grid loses."""
    gains = population.gains(population.even)
    aim = max(0.0, round(float(np.median(gains)), 2))
    weights = tilted_together(population, aim)
    found = population.gains(weights)
    results.tilts.append(
        Tilted(
            population.name,
            len(population.points),
            float(found.max()),
            float(np.median(found)),
            float(found.min()),
            evenness(weights),
            population.groups,
        )
    )
    return weights


def _setting(population: Population, groups: int, weights: Reals, plan: Plan, name: str) -> Setting:
    draws = draw(population, plan.studies, groups, name, weights=weights, seed=plan.seed)
    return Setting.of(population, draws, weights)


def _signs(population: Population, groups: int, plan: Plan) -> Reals:
    generator = named_generator(plan.seed, "false-ship", population.name, str(groups), "signs")
    return generator.choice([-1.0, 1.0], size=(plan.studies, 2, groups))


def _gates(prepared: Prepared, source: Source, plan: Plan, results: Results) -> None:
    points = USUAL if USUAL in plan.grids else plan.grids[0]
    population = _population(prepared, source, points, plan)
    everywhere = [primary(0.0), zero_hits(0.02), degraded(0.7)]
    asked = [case for case in everywhere if case.gate in (plan.gates or [case.gate])]
    _gate(population, asked, plan, results)
    if source.name != "handbook" or plan.gates:
        return
    _gate(population, [coverage(0.85)], plan, results)
    for name in ("exact_identifier", "paraphrase"):
        limits = {"slices": {name: {"tolerance": 0.05}}}
        sliced = _population(prepared, source, points, plan, decision=limits)
        _gate(sliced, [slices(name, 0.05)], plan, results)
    pooled = _population(prepared, source, 1, plan, collection={"regime": "pooled"})
    _gate(pooled, [robust(pooled)], plan, results)


def _gate(population: Population, cases: Sequence[Case], plan: Plan, results: Results) -> None:
    for groups in plan.groups:
        draws = draw(
            population, plan.studies, groups, "natural", weights=population.even, seed=plan.seed
        )
        found = [at_its_limit(population, draws, case) for case in cases]
        results.gates += [one for one in found if one is not None]


def _sizes(prepared: Prepared, source: Source, plan: Plan, results: Results) -> None:
    population = _population(prepared, source, USUAL, plan)
    groups = [count for count in plan.groups if count >= 30]
    results.sizes += sizes(population, groups, plan.samples, plan.seed)
