"""The winner's curse: the whole rule repeated on samples of dev, measured where it did not look."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.grid.bag import bag
from pipeline.grid.depth_choice import least_depths
from pipeline.grid.differences import Reals, Wholes
from pipeline.grid.folds import fold_groups
from pipeline.params import Params
from pipeline.selection.dev import Dev
from pipeline.selection.latency import TooSlow
from pipeline.selection.rule import Flags, Problem, chosen_points
from pipeline.selection.search import Verdict, problem_of
from pipeline.selection.simplicity import by_simplicity
from pipeline.storage import round_significant


@dataclass(frozen=True, slots=True)
class Repeated:
    """The rule on samples of the groups: choice of depth, exclusions, ties, stability, simplicity.

    Args:
        problems: what the rule looks at, at each depth that it may choose.
        which: (samples,), the place of the problem that each sample's depth makes.
        weightings: (samples, groups), how often each group counts.
    """

    problems: Sequence[Problem]
    which: Wholes
    weightings: Reals

    @property
    def choices(self) -> Wholes:
        """(samples,): the point that is chosen in the sample's own problem."""
        chosen = np.empty(len(self.weightings), dtype=np.int64)
        for place, problem in enumerate(self.problems):
            mine = np.flatnonzero(self.which == place)
            if len(mine):
                chosen[mine] = chosen_points(problem, self.weightings[mine])
        return chosen

    def only(self, samples: Flags) -> "Repeated":
        """Some of the samples."""
        return Repeated(self.problems, self.which[samples], self.weightings[samples])


def repeat(
    dev: Dev,
    verdict: Verdict,
    params: Params,
    slow: TooSlow,
    splits: pl.DataFrame,
    depth_recall: pl.DataFrame,
) -> Repeated:
    """The rule on bootstrap samples of the groups of dev.

    Args:
        dev: the stored values, with a grid `declared:depth-D` for each depth but the final one.
        verdict: the rule's on all of dev.
        params: seed, and as for `search`.
        slow: what is excluded whatever its quality.
        splits: SPLITS.
        depth_recall: DEPTH_RECALL; empty where no depth was chosen first.
    """
    if depth_recall.is_empty():
        weightings = bag(params.seed, len(dev.folds.grouping.counts))
        return Repeated([verdict.problem], np.zeros(len(weightings), np.int64), weightings)
    recall = depth_recall.sort("depth", "query_id")
    depths, queries = (recall[name].unique().sort().to_list() for name in ("depth", "query_id"))
    swept = fold_groups(splits, queries)
    drawn = bag(params.seed, len(swept.units))
    sums = swept.grouping.sums(recall["recall"].to_numpy().reshape(len(depths), len(queries)))
    which = least_depths(sums, swept.grouping.counts, drawn)
    problems = [
        _problem(dev, depth, verdict, params, slow) if place in which else verdict.problem
        for place, depth in enumerate(depths)
    ]
    # A query on which the measure is undefined helps to choose the depth and nothing else.
    known = [swept.units.index(unit) for unit in dev.folds.units]
    return Repeated(problems, which, drawn[:, known])


def _problem(dev: Dev, depth: int, verdict: Verdict, params: Params, slow: TooSlow) -> Problem:
    points = dev.grid(f"declared:depth-{depth}")
    if not points:
        return verdict.problem
    return problem_of(dev, by_simplicity(points), params, slow)


def out_of_bag(repeated: Repeated) -> float | None:
    """What the rule's choice is worth on groups that did not take part in it.

    Each sample's choice is measured on the groups that the sample left out, and the means are
    averaged (Efron & Tibshirani 1997).

    Returns:
        The mean, to six significant digits; None where there are fewer than two groups.
    """
    counts = repeated.problems[0].counts
    if len(counts) < 2:
        return None
    left_out = np.where(repeated.weightings == 0, 1.0, 0.0)
    # A sample says something only if both what it holds and what it left out hold queries.
    telling = ((repeated.weightings @ counts) > 0) & ((left_out @ counts) > 0)
    if not telling.any():
        return None
    repeated, left_out = repeated.only(telling), left_out[telling]
    chosen = np.stack(
        [
            repeated.problems[place].sums[point]
            for place, point in zip(repeated.which, repeated.choices, strict=True)
        ]
    )
    sums = np.einsum("sg,sg->s", chosen, left_out)
    queries = np.einsum("g,sg->s", counts, left_out)
    return round_significant(float(np.mean(sums / queries)))
