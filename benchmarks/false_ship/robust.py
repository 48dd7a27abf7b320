"""The gate `robust` at its limit: unjudged evidence at its worst, and a gain of just the margin."""

import numpy as np
import polars as pl

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import Comparison, settle, status_of
from benchmarks.false_ship.gates import Case, Pair
from benchmarks.false_ship.populations import PRIMARY, Population, Reals
from pipeline.evaluation.bounds.duel import duels
from pipeline.evaluation.bounds.extremes import extremes
from pipeline.gates import Status
from pipeline.gates.interval import Interval
from pipeline.measures import parse_measure
from pipeline.systems import System, rank_systems, single_branch


def worst_differences(population: Population) -> Reals:
    """(branches, queries): the least difference that any grades of unjudged evidence leave.

    Args:
        population: with a grid of one point.
    """
    (point,) = population.points
    params, candidates = population.params, population.prepared.candidates
    systems = [System("selected", "selected", point)] + [
        System(name, "branch", single_branch(params, name)) for name in population.branches
    ]
    runs = rank_systems(systems, candidates, params.fusion)
    ours = runs.filter(pl.col("system") == "selected")
    return np.stack([_worst(population, ours, runs, name) for name in population.branches])


def _worst(population: Population, ours: pl.DataFrame, runs: pl.DataFrame, branch: str) -> Reals:
    params = population.params
    theirs = runs.filter(pl.col("system") == branch)
    judgments = population.prepared.splits.dev_judgments
    found = extremes(
        duels(ours, theirs, judgments, list(population.queries)),
        parse_measure(PRIMARY),
        rel=params.collection.rel,
        scale=params.collection.scale,
    )
    worst = {one.query_id: one.worst for one in found}
    plain = population.values[PRIMARY][0] - population.values[PRIMARY][population.row(branch)]
    least = np.array([worst[query] for query in population.queries])
    # As evaluation does: the plain view lies between the two ends to the last digit.
    never_above: Reals = np.minimum(least, plain)
    return never_above


def robust(population: Population) -> Case:
    """The gain on the branch that unjudged evidence favours most is the margin."""
    worst = worst_differences(population)
    means = worst.mean(axis=1)
    nearest, margin = int(means.argmin()), float(means.min())

    def excess(of: Population, pair: Pair) -> Reals:
        return of.group_sums(worst[nearest]) - margin * of.sizes

    def status(of: Population, pair: Pair, sample: Sample, seed: int) -> Status:
        compared = [
            Comparison(
                worst[place, sample.queries],
                sample,
                name,
                (PRIMARY, "", "worst"),
                lambda one: _passes(one, margin),
            )
            for place, name in enumerate(of.branches)
        ]
        resamples = of.params.evaluation.resamples
        return status_of(settle(compared, seed=seed, resamples=resamples))

    return Case("robust", margin, excess, status, margin=margin)


def _passes(one: Interval, margin: float) -> Status:
    """Whether it passes; whether it fails is another view's matter and never makes a ship."""
    return "pass" if one.low is not None and one.low > margin else "unresolved"
