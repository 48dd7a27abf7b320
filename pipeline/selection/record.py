"""What selection.json holds beside the choice itself."""

from typing import Any

import numpy as np

from pipeline.fusion import Configuration
from pipeline.grid.differences import direction
from pipeline.params import Params
from pipeline.selection.frozen import Frozen, Study
from pipeline.selection.latency import TooSlow
from pipeline.selection.lattice import NOBODY
from pipeline.selection.out_of_bag import out_of_bag
from pipeline.selection.rivals import Rivals
from pipeline.selection.search import Verdict
from pipeline.systems import single_branch


def mapping(configuration: Configuration) -> dict[str, Any]:
    """A configuration as JSON, enough to rebuild it: `Configuration.of` takes the same names."""
    return {
        "id": configuration.id,
        "method": configuration.method,
        "rank_constant": configuration.rank_constant,
        "weights": dict(configuration.weights),
        "depths": dict(configuration.depths),
        "description": configuration.describe(),
    }


def region(verdict: Verdict, params: Params) -> dict[str, Any]:
    """The part of the grid that dev cannot tell from the best, and where the choice lies in it."""
    choices = verdict.choices
    chosen = int(choices.chosen[0])
    near = [place for place in verdict.problem.near[chosen] if place != NOBODY]
    return {
        "points": len(verdict.points),
        "best": verdict.best.id,
        "best_description": verdict.best.describe(),
        "tied": int(choices.tied.sum()),
        "stable": int(verdict.firm.sum()),
        "stable_share": params.selection.stable_share,
        "edges": verdict.edges,
        "standard_error": float(choices.errors[0, chosen]),
        "neighbours": [
            {"configuration": verdict.points[place].id, "tied": bool(choices.tied[0, place])}
            for place in near
        ],
    }


def excluded(verdict: Verdict, slow: TooSlow) -> dict[str, Any]:
    """How many points were excluded first, and why."""
    return {
        "points": int((~verdict.choices.admissible).sum()),
        "slices": verdict.regressing(),
        "latency": {"points": int(verdict.problem.barred.sum()), "branches": slow.branches},
        "overruled": bool(verdict.choices.overruled[0]),
    }


def dev_values(study: Study, frozen: Frozen, rivals: Rivals) -> dict[str, Any]:
    """The primary measure on dev, in-sample, and what the choice is worth out of bag."""
    dev, params = study.dev, study.params
    branch = None if rivals.branch is None else single_branch(params, rivals.branch)
    verdict, sign = frozen.verdict, direction(params.selection.measure)
    unseen = None if verdict is None else out_of_bag(study.repeat(verdict))
    return {
        "value": _mean(study, frozen.configuration),
        "best": None if verdict is None else _mean(study, verdict.best),
        "out_of_bag": None if unseen is None else unseen * sign,
        "best_branch": _mean(study, branch),
        "best_convex": _mean(study, rivals.convex),
        "queries": len(dev.queries),
        "groups": len(dev.folds.grouping.counts),
    }


def _mean(study: Study, configuration: Configuration | None) -> float | None:
    dev = study.dev
    if dev.empty or configuration is None or configuration.id not in dev.rows:
        return None
    mean = float(np.mean(dev.of([configuration]))) * direction(study.params.selection.measure)
    return round(mean, 12)
