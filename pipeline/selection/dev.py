"""What selection may look at: the stored values of dev, by query group, fold and slice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.errors import ParameterError
from pipeline.fusion import Configuration
from pipeline.grid.differences import Reals
from pipeline.grid.folds import Folds, fold_groups
from pipeline.params import Params
from pipeline.pieces import Frames
from pipeline.selection.matrix import read_matrix


@dataclass(frozen=True, slots=True)
class Dev:
    """The primary measure of every configuration on every query of dev.

    Args:
        configurations: by id.
        grids: grid to ids.
        queries: query ids, sorted.
        rows: configuration id to row.
        values: (configurations, queries), more is better.
        folds: groups of the queries, and the folds they lie in.
        held_out: under crossfit all folds, rising, also those without a query here; else empty.
        slices: critical slice to whether each query is in it.
    """

    configurations: Mapping[str, Configuration]
    grids: Mapping[str, Sequence[str]]
    queries: Sequence[str]
    rows: Mapping[str, int]
    values: Reals
    folds: Folds
    held_out: tuple[int, ...]
    slices: Mapping[str, Reals]

    @property
    def empty(self) -> bool:
        """Whether no query of dev can tell anything."""
        return not self.queries

    def grid(self, name: str, fold: int | None = None) -> list[Configuration]:
        """The points of a grid, as it was made without a fold where that is another."""
        own = f"{name}:fold-{fold}"
        return [self.configurations[one] for one in self.grids.get(own, self.grids.get(name, ()))]

    def weighting(self, fold: int | None = None) -> Reals:
        """How often each group counts: once, but not at all in the fold that is held out."""
        known = self.folds.held_out
        weighting: Reals = self.folds.weightings[1 + known.index(fold) if fold in known else 0]
        return weighting

    def of(self, points: Sequence[Configuration]) -> Reals:
        """(points, queries): their values."""
        return self.values[[self.rows[point.id] for point in points]]


def read_dev(
    configurations: pl.DataFrame,
    grids: pl.DataFrame,
    results: pl.DataFrame,
    per_query: Frames,
    splits: pl.DataFrame,
    queries: pl.DataFrame,
    params: Params,
) -> Dev:
    """Arrays from the tables of the sweep.

    Queries on which the measure is undefined for a configuration, and those declared
    unanswerable, are left out for all.

    Raises:
        ParameterError: the sweep holds values, but none of selection's measure.
    """
    measure = params.selection.measure
    swept = results["measure"].unique().sort().to_list()
    if swept and measure not in swept:
        raise ParameterError(
            "the measure was not swept",
            where="selection.measure",
            found=measure,
            expected=f"one of {', '.join(swept)}",
            next_command="dvc repro",
        )
    unanswerable = queries.filter(pl.col("answerable").eq(False))["query_id"].to_list()
    ids, asked, values = read_matrix(per_query, measure, without=unanswerable)
    crossfit = splits.filter(pl.col("split") == "crossfit")
    points = [Configuration.from_row(row) for row in configurations.iter_rows(named=True)]
    return Dev(
        configurations={point.id: point for point in points},
        grids=dict(grids.group_by("grid", maintain_order=True).agg("configuration").rows()),
        queries=asked,
        rows={name: row for row, name in enumerate(ids)},
        values=values,
        folds=fold_groups(splits, asked),
        held_out=tuple(crossfit["fold"].drop_nulls().unique().sort()),
        slices=_slices(queries, asked, params),
    )


def _slices(queries: pl.DataFrame, asked: Sequence[str], params: Params) -> dict[str, Reals]:
    pairs = queries.select("query_id", "slices").explode("slices").drop_nulls()
    members = {
        name: set(pairs.filter(pl.col("slices") == name)["query_id"])
        for name in sorted(params.decision.slices)
    }
    return {
        name: np.array([query in inside for query in asked], dtype=np.float64)
        for name, inside in members.items()
    }
