"""All configurations on the items of a few queries: scores, order, measures, array by array.

Working arrays are made once per family and filled again and again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pipeline.grid.memory import BATCH_BRANCHES, BATCH_CELLS
from pipeline.measures import UNJUDGED, Lists, measure_lists
from pipeline.measures.counted import COUNTED, Kind
from pipeline.measures.names import Measure
from pipeline.sweep.arrays import Items
from pipeline.sweep.collapsed import Reals, Wholes
from pipeline.sweep.counting import Cells, corrected, hits, own_keys, threshold, wanted_cells
from pipeline.sweep.families import Family
from pipeline.sweep.order import Keys, Order
from pipeline.sweep.scores import Scorer
from pipeline.sweep.truth import Judged


@dataclass(frozen=True, slots=True)
class Asked:
    """What the measures look at.

    Args:
        measures: all of them.
        output_depth: how long a fused list is.
    """

    measures: Sequence[Measure]
    output_depth: int

    def counts(self, measure: Measure) -> bool:
        """Whether it is enough to know what stands within the measure's cutoff."""
        return measure.family in COUNTED and not measure.judged_only

    def by_count(self) -> list[Measure]:
        """The measures for which it is."""
        return [measure for measure in self.measures if self.counts(measure)]

    def first(self) -> int:
        """How far down the others look; whole lists where one condenses or has no cutoff."""
        return max(
            (
                self.output_depth
                if m.cutoff is None or m.judged_only
                else min(m.cutoff, self.output_depth)
                for m in self.measures
                if not self.counts(m)
            ),
            default=0,
        )

    def cutoff(self, measure: Measure) -> int:
        """How far down a measure of counts looks."""
        return min(measure.cutoff or self.output_depth, self.output_depth)

    def deepest(self) -> int:
        """How far down any of them looks."""
        return max([self.first(), *(self.cutoff(m) for m in self.by_count())])


def measure_family(
    family: Family, items: Items, judged: Judged, asked: Asked, out: Reals, *, past_depth: bool
) -> None:
    """Fills the values of one family on some queries.

    Args:
        family: the configurations.
        items: the items of the queries at the family's depths.
        judged: what is known about the queries.
        asked: the measures.
        out: (all configurations, measures, queries); the family's places are filled.
        past_depth: whether an item that a list lacks counts as if at depth + 1.

    Raises:
        ContractError: a method on scores meets a branch without.
    """
    queries, columns = items.shape
    scorer = Scorer(family, items, past_depth=past_depth)
    maker = Keys(items.filled, columns)
    cells = wanted_cells(asked.by_count(), judged.rel, items)
    first = min(asked.first(), columns)
    cutoffs = sorted({asked.cutoff(m) for m in asked.by_count()})
    for chosen, scores, spare, keys in _batches(family, queries * columns):
        scorer.score(chosen, scores, spare)
        maker.fill(scores, keys, signed=scorer.signed)
        own = {kind: own_keys(keys, those) for kind, those in cells.items()}
        shape = len(scores) * queries, columns
        order = maker.order(
            keys.reshape(shape), scores.reshape(shape), first=first, cutoffs=cutoffs
        )
        for kind, those in cells.items():
            own[kind] = corrected(own[kind], those, order, columns, queries)
        found = _Found(items, judged, asked, order, own, cells, len(scores))
        for number, measure in enumerate(asked.measures):
            out[family.places[chosen], number] = found.values(measure)


class _Found:
    """What one batch of configurations ranked, to be asked for its measures."""

    def __init__(
        self,
        items: Items,
        judged: Judged,
        asked: Asked,
        order: Order,
        own: Mapping[tuple[Kind, int], Wholes],
        cells: Mapping[tuple[Kind, int], Cells],
        configurations: int,
    ) -> None:
        self._items, self._judged, self._asked, self._order = items, judged, asked, order
        self._own, self._cells = own, cells
        self._shape = configurations, items.shape[0]
        self._lists = ranked_lists(items, order.top.reshape(*self._shape, order.top.shape[1]))

    def values(self, measure: Measure) -> Reals:
        """(configurations, queries)."""
        if self._asked.counts(measure):
            return self._counted(measure)
        return measure_lists(measure, self._lists, self._judged.truth, rel=self._judged.rel)

    def _counted(self, measure: Measure) -> Reals:
        counted, least = COUNTED[measure.family], threshold(measure, self._judged.rel)
        cutoff, own = self._asked.cutoff(measure), self._own[counted.kind, least]
        limit = self._order.limits.get(cutoff)
        within = None if limit is None else limit.reshape(self._shape)
        found = hits(own, self._cells[counted.kind, least], within, self._shape[1])
        returned = np.minimum(self._items.returned, cutoff)
        return counted.value(measure, found, returned, self._judged.truth, least)


def _batches(
    family: Family, cells: int
) -> Iterator[tuple[slice, Reals, Reals, npt.NDArray[np.int64]]]:
    configurations, branches = family.weights.shape
    # Sums of many branches take an array for each.
    room = BATCH_CELLS * BATCH_BRANCHES // max(BATCH_BRANCHES, branches)
    width = max(1, min(configurations, room // max(cells, 1)))
    scores, keys = np.empty((width, cells)), np.empty((width, cells), dtype=np.int64)
    spare = keys.view(np.float64)  # keys are made when there is nothing left to be scored
    for start in range(0, configurations, width):
        count = min(width, configurations - start)
        yield slice(start, start + count), scores[:count], spare[:count], keys[:count]


def ranked_lists(items: Items, order: Wholes) -> Lists:
    """What stands at each rank of the fused lists.

    Args:
        items: the items.
        order: (…, queries, depth), their columns by rank.
    """
    starts = np.arange(items.shape[0])[:, None] * items.shape[1]
    cells = order + starts
    grades, required = items.grades.take(cells), items.required.take(cells)
    if items.evidence is not None:
        again = _repeated(items.evidence.take(cells))
        grades = np.where(again & (grades != UNJUDGED), np.minimum(grades, 0), grades)
        required = required & ~again
    returned = np.minimum(items.returned, order.shape[-1])
    return Lists(grades, np.broadcast_to(returned, order.shape[:-1]), required)


def _repeated(evidence: Wholes) -> npt.NDArray[np.bool_]:
    """Whether a rank's evidence stands at a better rank already: only the first place gains."""
    order = np.argsort(evidence, axis=-1, kind="stable")
    sorted_ = np.take_along_axis(evidence, order, axis=-1)
    again = np.zeros(evidence.shape, dtype=np.bool_)
    same = (sorted_[..., 1:] == sorted_[..., :-1]) & (sorted_[..., 1:] >= 0)
    np.put_along_axis(again, order[..., 1:], same, axis=-1)
    return again
