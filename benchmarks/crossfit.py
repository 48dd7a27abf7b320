"""Size and power of crossfit's interval beside holdout's, with the whole selection rule inside.

    nice -n 10 python -m benchmarks.crossfit --collections ../shared/collections

Each study draws query groups with replacement from a judged collection, so what is true of the
collection is known. Every configuration's gain over the best single branch is first moved to a true
value (only where the two differ, so that ties stay ties): 0, where every *ship* is false, or more,
where none is. Under `own` nothing is moved and the margin is the best gain of the grid: no
configuration deserves more. Holdout chooses on half of the groups and tests on the other half;
crossfit chooses on four folds of five and tests on the fifth, for every fold. Both then ask the
primary gate's question of every branch.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from pipeline.collection import read_collection
from pipeline.collection.importing import import_collection
from pipeline.gates.interval import Interval, verdict
from pipeline.params import Params, to_params
from pipeline.selection.dev import read_dev
from pipeline.selection.lattice import Neighbours, neighbours
from pipeline.selection.rule import Problem, choose
from pipeline.selection.simplicity import by_simplicity
from pipeline.statistics import compare_differences, named_generator
from pipeline.statistics.shares import clopper_pearson
from pipeline.study import prepare, sweep
from pipeline.systems import single_branch

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]

MEASURE, ALPHA, FOLDS, RESAMPLES = "nDCG@5", 0.05, 5, 1_000
GROUPS = (40, 80, 160, 320)
GAINS: Mapping[str, float | None] = {"own": None, "0": 0.0, "+.02": 0.02, "+.04": 0.04}


@dataclass(frozen=True, slots=True)
class Population:
    """A collection's values, taken for the truth.

    Args:
        points: (configurations, queries), the simplest first.
        branches: (branches, queries).
        near: neighbours of each configuration.
        margin: what the primary gate's gain must exceed.
    """

    points: Reals
    branches: Reals
    near: Neighbours
    margin: float = 0.0

    def moved(self, gain: float | None) -> "Population":
        """With every configuration's true gain over the best branch at `gain`.

        None keeps the values, and puts the margin where no configuration exceeds it.
        """
        best = self.branches[int(self.branches.mean(axis=1).argmax())]
        apart = self.points - best
        if gain is None:
            return Population(self.points, self.branches, self.near, float(apart.mean(1).max()))
        differs: Reals = (np.abs(apart) > 1e-12).astype(np.float64)
        share = np.maximum(differs.mean(axis=1, keepdims=True), 1e-12)
        shifted = self.points + differs * (gain - apart.mean(axis=1, keepdims=True)) / share
        return Population(shifted, self.branches, self.near)

    def drawn(self, queries: Wholes) -> "Population":
        """The same of these queries, each a group of its own."""
        return Population(
            self.points[:, queries], self.branches[:, queries], self.near, self.margin
        )


def holdout(study: Population, seed: np.random.Generator) -> Reals:
    """(branches, tested): gains on the half that took no part in the choice."""
    dev = np.zeros(study.points.shape[1])
    dev[seed.permutation(len(dev))[: len(dev) // 2]] = 1.0
    chosen = _choices(study, dev[None])[0]
    gains: Reals = study.points[chosen] - study.branches
    return gains[:, dev == 0.0]


def crossfit(study: Population, seed: np.random.Generator) -> Reals:
    """(branches, groups): each group's gain with what the other folds chose."""
    fold = seed.permutation(study.points.shape[1]) % FOLDS
    weightings = np.stack([(fold != out).astype(np.float64) for out in range(FOLDS)])
    chosen = _choices(study, weightings)[fold]
    own: Reals = study.points[chosen, np.arange(len(fold))]
    return own - study.branches


PROTOCOLS: Mapping[str, Callable[[Population, np.random.Generator], Reals]] = {
    "holdout": holdout,
    "crossfit": crossfit,
}


def _choices(study: Population, weightings: Reals) -> Wholes:
    problem = Problem(
        sums=study.points,
        counts=np.ones(study.points.shape[1]),
        near=study.near,
        stable_share=0.8,
        barred=np.zeros(len(study.points), dtype=np.bool_),
    )
    return choose(problem, weightings).chosen


def ships(gains: Reals, margin: float, seed: np.random.Generator) -> bool:
    """Whether the primary gate passes against every branch."""
    return all(_passes(one, margin, seed) for one in gains)


def _passes(gains: Reals, margin: float, seed: np.random.Generator) -> bool:
    if gains.mean() <= margin:
        return False
    found = compare_differences(
        gains, np.arange(len(gains)), alpha=ALPHA, resamples=RESAMPLES, generator=seed
    )
    one = Interval(
        "branch", found.delta, found.low, found.high, len(gains), len(gains), found.nonzero_groups
    )
    return verdict(one, margin) == "pass"


def population(folder: Path, name: str, place: Path) -> Population:
    """The declared grid and the branches of a collection, measured on all its queries."""
    report = import_collection(folder / name, format="beir", target=place, name=name)
    params = _params(report.path)
    collection = read_collection(report.path, params=params.collection)
    prepared = prepare(collection, params)
    swept = sweep(prepared, params)
    dev = read_dev(
        swept.configurations,
        swept.grids,
        swept.results,
        swept.per_query,
        prepared.splits.splits,
        prepared.snapshot.queries,
        params,
    )
    points = by_simplicity(dev.grid("declared"))
    branches = [single_branch(params, branch) for branch in params.fused_branches]
    return Population(dev.of(points), dev.of(branches), neighbours(points))


def _params(path: Path) -> Params:
    return to_params(
        {
            "study": path.name,
            "collection": {"path": str(path), "regime": "exhaustive", "scale": [0, 4]},
            "splits": {"protocol": "crossfit", "folds": FOLDS, "independent": True},
            "candidates": {
                "bm25": {"kind": "bm25"},
                "lsa": {"kind": "dense", "encoder": "lsa"},
            },
        }
    )


@dataclass(frozen=True, slots=True)
class Rate:
    """How often studies of one kind say ship, with its two-sided 95 % interval."""

    collection: str
    gain: str
    groups: int
    protocol: str
    shipped: int
    studies: int

    def __str__(self) -> str:
        """In per cent."""
        low, high = clopper_pearson(self.shipped, self.studies, 0.025)
        return f"{self.shipped / self.studies:.1%} ({low:.1%} to {high:.1%})"


def rates(name: str, found: Population, studies: int, groups: Sequence[int]) -> Iterator[Rate]:
    """Every kind of study on one collection; both protocols see the same draws."""
    for gain, moved in ((words, found.moved(value)) for words, value in GAINS.items()):
        for count in groups:
            shipped = dict.fromkeys(PROTOCOLS, 0)
            for number in range(studies):
                seed = named_generator(7, name, gain, str(count), str(number))
                study = moved.drawn(seed.integers(0, moved.points.shape[1], count))
                for protocol, gains in PROTOCOLS.items():
                    shipped[protocol] += ships(gains(study, seed), moved.margin, seed)
            for protocol, number in shipped.items():
                yield Rate(name, gain, count, protocol, number, studies)


@click.command(help=__doc__)
@click.option("--collections", type=click.Path(path_type=Path, file_okay=False), required=True)
@click.option("--names", default="cranfield,stackfaq", show_default=True)
@click.option("--studies", type=click.IntRange(1), default=1_000, show_default=True)
def main(collections: Path, names: str, studies: int) -> None:
    """Prints one line of a table for each kind of study."""
    print("| collection | true gain | groups | holdout ships | crossfit ships |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        for name in names.split(","):
            found = population(collections, name, Path(place))
            lines = rates(name, found, studies, GROUPS)
            for one, other in zip(lines, lines, strict=True):
                print(f"| {name} | {one.gain} | {one.groups} | {one} | {other} |", flush=True)


if __name__ == "__main__":
    main()
