"""The rule applied to a grid: on all of dev, and without each fold."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.fusion import Configuration
from pipeline.grid.differences import Reals
from pipeline.params import Params
from pipeline.selection.dev import Dev
from pipeline.selection.latency import TooSlow
from pipeline.selection.lattice import edges, neighbours
from pipeline.selection.rule import Choices, Flags, Problem, SliceVeto, choose, means_of, regressed
from pipeline.selection.simplicity import by_simplicity
from pipeline.systems import single_branch

NONE_SLOW = TooSlow()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the rule says of one grid, for one weighting of the groups.

    Args:
        points: the grid, the simplest first.
        problem: what the rule looked at.
        weighting: how often each group counted.
        choices: the rule's verdict, one row.
    """

    points: Sequence[Configuration]
    problem: Problem
    weighting: Reals
    choices: Choices

    @property
    def chosen(self) -> Configuration:
        """The frozen point."""
        return self.points[int(self.choices.chosen[0])]

    @property
    def best(self) -> Configuration:
        """The admissible point with the greatest mean."""
        return self.points[int(self.choices.best[0])]

    @property
    def firm(self) -> Flags:
        """(points,): tied, stable and admissible."""
        found: Flags = (self.choices.tied & self.choices.stable & self.choices.admissible)[0]
        return found

    @property
    def edges(self) -> list[str]:
        """The axes on whose edge the best point lies."""
        return edges(self.best, self.points)

    def regressing(self) -> dict[str, int]:
        """Critical slice to the number of points that damage it."""
        return {
            veto.name: int(regressed(self.problem, veto, self.weighting[None]).sum())
            for veto in self.problem.vetoes
        }


def search(
    dev: Dev, grid: str, params: Params, *, slow: TooSlow = NONE_SLOW
) -> dict[int | None, Verdict]:
    """The rule's verdicts on a grid: on all of dev (None), and without each fold.

    Args:
        dev: the stored values.
        grid: its name.
        params: sections selection, decision.slices, production.
        slow: what was measured to be over the latency limit.

    Returns:
        The verdicts; none where the grid has no points or no query can tell.
    """
    verdicts: dict[int | None, Verdict] = {}
    # A fold has the points of all of dev, unless another depth is chosen without it.
    posed: dict[tuple[Configuration, ...], tuple[Sequence[Configuration], Problem]] = {}
    for fold in (None, *dev.held_out):
        points, weighting = tuple(dev.grid(grid, fold)), dev.weighting(fold)
        if dev.empty or not points or not (weighting * dev.folds.grouping.counts).sum():
            continue
        if points not in posed:
            simplest_first = by_simplicity(points)
            posed[points] = simplest_first, problem_of(dev, simplest_first, params, slow)
        ordered, problem = posed[points]
        verdicts[fold] = Verdict(ordered, problem, weighting, choose(problem, weighting[None]))
    return verdicts


def best_branch(dev: Dev, params: Params, *, fold: int | None = None) -> str | None:
    """The branch fusion may use that is best on dev by itself; the first by name of equals."""
    names = params.fused_branches
    weighting, counts = dev.weighting(fold), dev.folds.grouping.counts
    if dev.empty or not (weighting * counts).sum():
        return None
    sums = dev.folds.grouping.sums(dev.of([single_branch(params, name) for name in names]))
    return names[int(means_of(sums, counts, weighting[None])[0].argmax())]


def problem_of(
    dev: Dev, points: Sequence[Configuration], params: Params, slow: TooSlow = NONE_SLOW
) -> Problem:
    """What the rule looks at when it chooses among some points.

    Args:
        dev: the stored values.
        points: the simplest first.
        params: as for `search`.
        slow: likewise.
    """
    grouping = dev.folds.grouping
    rivals = dev.of([single_branch(params, name) for name in _rivals(params)])
    values = dev.of(points)
    vetoes = [
        SliceVeto(
            name=name,
            tolerance=params.decision.slices[name].tolerance,
            sums=grouping.sums(values * inside),
            counts=grouping.sums(inside),
            baselines=grouping.sums(rivals * inside),
        )
        for name, inside in dev.slices.items()
    ]
    return Problem(
        sums=grouping.sums(values),
        counts=grouping.counts,
        near=neighbours(points),
        stable_share=params.selection.stable_share,
        barred=np.array([slow.bars(point) for point in points]),
        vetoes=vetoes,
        baselines=grouping.sums(rivals),
    )


def _rivals(params: Params) -> Sequence[str]:
    """What a slice is compared with: production, else the branch that is best."""
    return params.fused_branches if params.production is None else (params.production,)
