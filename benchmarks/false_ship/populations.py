"""Judged collections as populations of query groups: every configuration measured once.

A study of a resampled collection needs nothing else: its queries are copies of these, so their
values are, too.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline import study
from pipeline.collection import Collection
from pipeline.fusion import Configuration
from pipeline.grid.differences import Grouping
from pipeline.params import Params, to_params
from pipeline.pieces import Frames, matching
from pipeline.selection.dev import Dev, read_dev
from pipeline.selection.rule import Problem
from pipeline.selection.search import problem_of
from pipeline.selection.simplicity import by_simplicity
from pipeline.study import Prepared
from pipeline.sweep import Sweep
from pipeline.systems import single_branch

Reals = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

PRIMARY = "nDCG@10"
MEASURES = (PRIMARY, "ZeroHit@10", "Judged@10")
BRANCHES: Mapping[str, Mapping[str, Any]] = {
    "bm25": {"kind": "bm25"},
    "dense": {"kind": "dense", "encoder": "static"},
}

# Grids by their number of points.
GRIDS: Mapping[int, Mapping[str, Any]] = {
    1: {"methods": ["rrf"], "rank_constants": [60], "weight_step": 0.5},
    9: {"methods": ["rrf"], "rank_constants": [60], "weight_step": 0.1},
    81: {},  # what `rankgate init` writes
    2009: {"rank_constants": [*range(1, 21), *range(24, 104, 4)], "weight_step": 0.02},
}


@dataclass(frozen=True, slots=True)
class Population:
    """One collection's query groups, and the values of every configuration of one grid on them.

    Args:
        name: the collection.
        params: of a study that has every query on dev.
        prepared: the collection's queries, judgments and candidates.
        points: the declared grid, the simplest first.
        branches: the single branches, sorted.
        queries: the ranked queries, sorted.
        grouping: which queries belong together.
        members: per group, the positions of its queries.
        values: measure to (points and then branches, queries), as measured; NaN where undefined.
        sums: (points and then branches, groups), the primary measure added up by group.
        problem: what the selection rule looks at.
        slices: critical slice to whether each query is in it.
        widest: judge by the wider of t and bootstrap-t at every number of groups.
    """

    name: str
    params: Params
    prepared: Prepared
    points: tuple[Configuration, ...]
    branches: tuple[str, ...]
    queries: tuple[str, ...]
    grouping: Grouping
    members: tuple[Wholes, ...]
    values: Mapping[str, Reals]
    sums: Reals
    problem: Problem
    slices: Mapping[str, Reals]
    widest: bool = False

    @property
    def groups(self) -> int:
        """How many query groups."""
        return len(self.members)

    @property
    def sizes(self) -> Reals:
        """(groups,): queries of each group."""
        return self.problem.counts

    def row(self, branch: str) -> int:
        """A branch's row in the values."""
        return len(self.points) + self.branches.index(branch)

    def group_sums(self, values: Reals) -> Reals:
        """(…, groups): values (…, queries) added up within each group."""
        return self.grouping.sums(values)

    def gains(self, weights: Reals) -> Reals:
        """(points,): the true gain on the best branch, where groups are drawn by these weights."""
        means = (self.sums @ weights) / (self.sizes @ weights)
        gains: Reals = means[: len(self.points)] - means[len(self.points) :].max()
        return gains

    @property
    def even(self) -> Reals:
        """(groups,): every group equally likely."""
        return np.full(self.groups, 1.0 / self.groups)


def population_params(name: str, grid: int, **sections: Any) -> Params:
    """Parameters of a study that has every query of a collection on dev."""
    return to_params(
        {
            "study": name,
            "candidates": {branch: dict(one) for branch, one in BRANCHES.items()},
            "sweep": {"measures": list(MEASURES), **GRIDS[grid]},
            "selection": {"measure": PRIMARY},
            "evaluation": {"measures": list(MEASURES)},
        }
        | sections
        | {"splits": {"shares": {"dev": 1.0}, **sections.get("splits", {})}}
    )


def prepared_once(collection: Collection, params: Params) -> Prepared:
    """Every branch's lists on every query: retrieved once, whatever is fused or drawn after."""
    return study.prepare(collection, params)


def populate(prepared: Prepared, params: Params) -> Population:
    """The population of a collection under one grid.

    Args:
        prepared: as from `prepared_once`, for any parameters with the same candidates.
        params: as from `population_params`.
    """
    swept = study.sweep(prepared, params)
    dev = _read(prepared, swept, params, PRIMARY)
    points = by_simplicity(dev.grid("declared"))
    branches = tuple(sorted(params.fused_branches))
    systems = [*points, *(single_branch(params, name) for name in branches)]
    grouping = dev.folds.grouping
    ends = np.cumsum(grouping.counts.astype(np.int64))[:-1]
    values = {name: _values(swept.per_query, dev, systems, name) for name in MEASURES}
    return Population(
        name=params.study,
        params=params,
        prepared=prepared,
        points=points,
        branches=branches,
        queries=tuple(dev.queries),
        grouping=grouping,
        members=tuple(np.split(grouping.order, ends)),
        values=values,
        sums=grouping.sums(values[PRIMARY]),
        problem=problem_of(dev, points, params),
        slices=dev.slices,
    )


def _read(prepared: Prepared, swept: Sweep, params: Params, measure: str) -> Dev:
    section = params.selection.model_copy(update={"measure": measure})
    return read_dev(
        swept.configurations,
        swept.grids,
        swept.results,
        swept.per_query,
        prepared.splits.splits,
        prepared.snapshot.queries,
        params.model_copy(update={"selection": section}),
    )


def _values(per_query: Frames, dev: Dev, systems: list[Configuration], measure: str) -> Reals:
    asked = pl.col("query_id").is_in(list(dev.queries))
    rows = matching(per_query, pl.col("measure") == measure, asked).sort(
        "configuration", "query_id"
    )
    ids = rows["configuration"].unique().sort().to_list()
    table = rows["value"].fill_null(float("nan")).to_numpy().reshape(len(ids), len(dev.queries))
    place = {name: row for row, name in enumerate(ids)}
    values: Reals = table[[place[system.id] for system in systems]]
    return values
