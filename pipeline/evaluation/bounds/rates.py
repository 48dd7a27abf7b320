"""How often judged evidence has each grade, by where the branches showed it.

An unjudged item is taken to be as often relevant as judged ones at the same rank that as many
branches returned. That is an assumption, and the best one the judgments support: pools judge high
ranks and shared finds first.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.evaluation.bounds.ratio import Reals
from pipeline.measures.lists import Grades
from pipeline.parts import Part

PAIR = ["query_id", "evidence_id"]

# The last rank of each band; what lies deeper is one band more.
BANDS = (1, 3, 5, 10, 20, 50)

# A cell with fewer judgments takes its band's rates, a band with fewer those of all.
ENOUGH = 20

Cell = tuple[int, bool]
"""Band of the best rank in any branch, and whether several branches returned it."""

ELSEWHERE: Cell = (len(BANDS), False)


@dataclass(frozen=True, slots=True)
class Rates:
    """Counts of grades among judged evidence.

    Args:
        grades: the grades counted, ascending.
        cells: by cell, how many judged items have each grade.
    """

    grades: tuple[int, ...]
    cells: Mapping[Cell, Reals]

    @property
    def all(self) -> Reals:
        """The counts of all cells."""
        return np.asarray(sum(self.cells.values(), np.zeros(len(self.grades))), np.float64)

    def of(self, cell: Cell) -> Reals:
        """The counts that speak for a cell: its own, its band's, or all."""
        own = self.cells.get(cell, np.zeros(len(self.grades)))
        band = own + self.cells.get((cell[0], not cell[1]), np.zeros(len(self.grades)))
        return next((one for one in (own, band) if one.sum() >= ENOUGH), self.all)

    def draw(self, cells: Sequence[Cell], times: int, generator: np.random.Generator) -> Grades:
        """Grades for items in these cells, again and again.

        Each time the rates themselves are drawn first, from a Dirichlet distribution around the
        counts with one judgment more, spread as all grades are: how sure the rates are is part of
        how sure the result is.

        Args:
            cells: one for each item.
            times: how often.
            generator: where the draws come from.

        Returns:
            (times, items).
        """
        known = sorted(set(cells))
        spread = self.all / self.all.sum()
        alphas = np.stack([self.of(cell) + spread for cell in known])
        drawn = generator.standard_gamma(alphas, size=(times, *alphas.shape))
        ends = np.cumsum(drawn, axis=-1)
        ends /= ends[..., -1:]
        places = np.array([known.index(cell) for cell in cells], dtype=np.int64)
        chance = generator.random((times, len(cells), 1))
        chosen = (chance >= ends[:, places, :-1]).sum(axis=-1)
        return np.asarray(np.array(self.grades)[chosen], np.int64)


def places_of(runs: pl.DataFrame, systems: Sequence[str]) -> dict[tuple[str, str], Cell]:
    """The cell of every pair that one of the systems returned.

    Args:
        runs: RUNS.
        systems: the branches, and the production run.
    """
    held = (
        runs.filter(pl.col("system").is_in(list(systems)))
        .group_by(PAIR)
        .agg(pl.col("rank").min(), pl.col("system").n_unique().alias("systems"))
    )
    return {
        (query, evidence): (bisect_left(BANDS, rank), systems > 1)
        for query, evidence, rank, systems in held.iter_rows()
    }


def rates_of(runs: pl.DataFrame, systems: Sequence[str], part: Part) -> Rates | None:
    """The rates of one part's judged evidence; None where fewer than 20 items are judged.

    Args:
        runs: RUNS of the part.
        systems: the branches, and the production run.
        part: dev.
    """
    places = places_of(runs, systems)
    judged = part.judgments.filter(pl.col("status") == "judged").select(*PAIR, "grade")
    found = [
        (places[query, evidence], grade)
        for query, evidence, grade in judged.sort(PAIR).iter_rows()
        if (query, evidence) in places
    ]
    if len(found) < ENOUGH:
        return None
    grades = tuple(sorted({grade for _, grade in found}))
    cells = {cell: np.zeros(len(grades)) for cell, _ in found}
    for cell, grade in found:
        cells[cell][grades.index(grade)] += 1.0
    return Rates(grades, cells)
