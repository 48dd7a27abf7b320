"""The values of every configuration, query by query: the sweep's fast path.

A reader who wants to know what is computed reads `pipeline.fusion.fuse` and
`pipeline.measures.per_query`; a test holds the two to the same values.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.fusion import METHODS, Configuration
from pipeline.fusion.settings import Depths
from pipeline.measures import UNJUDGED, Lists, measure_lists, parse_measure
from pipeline.measures.names import Measure
from pipeline.params import FusionParams
from pipeline.sweep.arrays import Items, Reals, Wholes, arrange_items
from pipeline.sweep.order import fused_order
from pipeline.sweep.scores import Scorer
from pipeline.sweep.truth import Judged

CELLS = 400_000
"""Cells of ranked lists measured at once: enough to forget numpy's overhead, few enough for the
processor's cache."""


def measure_configurations(
    candidates: pl.DataFrame,
    configurations: Sequence[Configuration],
    judged: Judged,
    *,
    measures: Sequence[str],
    fusion: FusionParams,
) -> Reals:
    """Every configuration on every query, every measure.

    Args:
        candidates: CANDIDATES.
        configurations: any; those of the same branches and depths share their preparation.
        judged: the queries, in the order of the result, and what is known about them.
        measures: names.
        fusion: the part of the contract that is not a grid axis.

    Returns:
        (configurations, measures, queries); NaN where a measure is undefined.

    Raises:
        ContractError: a list breaks the rules of fusion, or a method on scores meets a branch
            without.
        ParameterError: a name that is not a measure's.
    """
    parsed = [parse_measure(name) for name in measures]
    depth = _needed_depth(parsed, fusion.output_depth)
    values = np.full((len(configurations), len(parsed), len(judged.queries)), np.nan)
    for depths, places in _by_depths(configurations).items():
        items = arrange_items(candidates, depths, judged, fusion)
        scorer = Scorer(items, fusion)
        for batch in _batches(places, len(judged.queries) * depth):
            orders = [_order(configurations[place], scorer, items, depth) for place in batch]
            lists = ranked_lists(items, np.stack(orders))
            for column, measure in enumerate(parsed):
                values[batch, column] = measure_lists(measure, lists, judged.truth, rel=judged.rel)
    return values


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


def _order(configuration: Configuration, scorer: Scorer, items: Items, depth: int) -> Wholes:
    if METHODS[configuration.method].own_scores:
        # A branch by itself keeps its order, and a row's items stand by best rank already.
        width = min(depth, items.shape[1])
        return np.broadcast_to(np.arange(width), (items.shape[0], width))
    return fused_order(scorer.scores(configuration), items.returned, depth)


def _needed_depth(measures: Sequence[Measure], output_depth: int) -> int:
    """How far down the measures look; whole lists where one condenses or has no cutoff."""
    cutoffs = [output_depth if m.cutoff is None or m.judged_only else m.cutoff for m in measures]
    return min(output_depth, max(cutoffs))


def _by_depths(configurations: Sequence[Configuration]) -> Mapping[Depths, list[int]]:
    groups: dict[Depths, list[int]] = defaultdict(list)
    for place, configuration in enumerate(configurations):
        groups[configuration.depths].append(place)
    return groups


def _batches(places: Sequence[int], cells: int) -> Iterator[list[int]]:
    width = max(1, CELLS // max(cells, 1))
    for start in range(0, len(places), width):
        yield list(places[start : start + width])
