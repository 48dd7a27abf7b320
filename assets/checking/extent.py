"""How much work a study is, counted: what its seconds, memory and disk grow with."""

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from assets.checking.inputs import Inputs
from pipeline.collection import Collection
from pipeline.grid.memory import Load
from pipeline.ledger import openings_of, test_set_hash
from pipeline.params import Params
from pipeline.query_states import query_states, ranked_queries
from pipeline.slices import declared_slices
from pipeline.splits import Splits
from pipeline.sweep.stage import swept_measures
from pipeline.systems import BEST_CONVEX, SELECTED, baselines

LETTERS_PER_WORD = 6
DEV_SIDES, TEST_SIDES = ("dev", "crossfit"), ("test", "crossfit")


@dataclass(frozen=True, slots=True)
class Extent:
    """What a study's cost grows with.

    Args:
        letters: of all documents.
        documents: how many.
        queries: all of them.
        swept: queries on which configurations are tried.
        entries: of all candidate lists together.
        recorded: lines of all recorded runs.
        points: configurations tried, comparators' among them.
        measures: of the sweep.
        listed: rows of the lists that an evaluation keeps, all systems together.
        slices: with a veto on configurations.
        drawn: query groups that the bootstraps of an evaluation draw.
    """

    letters: int
    documents: int
    queries: int
    swept: int
    entries: int
    recorded: int
    points: int
    measures: int
    listed: int
    slices: int
    drawn: int

    @property
    def words(self) -> float:
        """Of all documents."""
        return self.letters / LETTERS_PER_WORD

    @property
    def load(self) -> Load:
        """What sweep and selection keep in memory."""
        return Load(self.points, self.queries, self.measures, self.entries, self.slices)

    @property
    def fused(self) -> float:
        """List entries that the sweep fuses, all configurations together."""
        return self.points * self.entries * self.swept / max(1, self.queries)

    @property
    def chosen(self) -> int:
        """Values that selection weighs: the sweep's of one measure."""
        return self.points * self.swept

    @property
    def values(self) -> int:
        """Of the sweep's matrix."""
        return self.points * self.swept * self.measures


def extent_of(collection: Collection, params: Params, points: int, inputs: Inputs) -> Extent:
    """Counts the work of a study's next full run.

    Args:
        collection: as read.
        params: branches, grid, measures, resamples.
        points: configurations that the sweep tries.
        inputs: sides and ledger; without sides every query counts as swept, none as compared.
    """
    documents, queries = collection.documents, collection.queries.height
    letters = sum(documents[name].str.len_chars().sum() or 0 for name in ("title", "text"))
    names = {system.name for system in baselines(params)} | {BEST_CONVEX, SELECTED}
    swept = queries
    if inputs.splits is not None:
        swept = int(inputs.splits.splits["split"].is_in(DEV_SIDES).sum())
    return Extent(
        letters=int(letters),
        documents=documents.height,
        queries=queries,
        swept=swept,
        entries=queries * sum(branch.depth for branch in params.candidates.values()),
        recorded=sum(run.results.height for run in collection.runs.values()),
        points=points,
        measures=len(swept_measures(params)),
        listed=queries * params.fusion.output_depth * (len(names) + _of_evaluation(params)),
        slices=len(params.decision.slices),
        drawn=_drawn(collection, inputs, params) * (len(names) - 1),
    )


def _of_evaluation(params: Params) -> int:
    """Systems of an evaluation alone: the best branch, without collapse, equal work, the two that
    the labels make; the union once for each start, and each branch dropped of more than two."""
    branches = len(params.fused_branches)
    return 5 + branches + (branches if branches > 2 else 0)


def _drawn(collection: Collection, inputs: Inputs, params: Params) -> int:
    """Groups drawn for one rival: each measure, side and slice shown, as often as declared."""
    if inputs.splits is None:
        return 0
    groups = sum(_groups(collection, inputs, inputs.splits, params))
    return groups * len(params.evaluation.measures) * params.evaluation.resamples


def _groups(
    collection: Collection, inputs: Inputs, splits: Splits, params: Params
) -> Iterator[int]:
    """Query groups of each slice shown, on dev and, once it was opened, on the test."""
    queries = collection.queries
    labels = pl.concat([splits.dev_judgments, splits.test_judgments]).unique(maintain_order=True)
    states = query_states(queries, labels, rel=params.collection.rel)
    ranked = set(ranked_queries(states))
    opened = openings_of(inputs.ledger, test_set_hash(splits.splits, queries))
    for sides in (DEV_SIDES, TEST_SIDES) if opened else (DEV_SIDES,):
        inside = splits.splits.filter(pl.col("split").is_in(sides))
        group = dict(inside.select("query_id", "group_id").iter_rows())
        members = [query for query in group if query in ranked]
        minimum = params.evaluation.slices.minimum
        for shown in declared_slices(queries, members, minimum=minimum).shown.values():
            yield len({group[query] for query in shown})
