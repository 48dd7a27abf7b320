"""The interval of a paired difference: one plan of draws for each slice, whoever asks."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import polars as pl

from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import (
    Comparison,
    compare_all,
    group_numbers,
    named_generator,
)
from pipeline.statistics.groups import Values

# One query's difference, the selected configuration's value minus the baseline's.
Differences = Mapping[str, float]


def compare_queries(
    differences: Differences, name: str, *, part: Part, params: Params
) -> Comparison:
    """The comparison of paired differences by query group.

    Args:
        differences: by query.
        name: the slice they are of.
        part: query groups and level.
        params: resamples and seed.
    """
    return compare_many([differences], name, part=part, params=params)[0]


def compare_many(
    columns: Sequence[Differences], name: str, *, part: Part, params: Params
) -> list[Comparison]:
    """`compare_queries` of many on one slice: those of the same queries share one product.

    Each comes out as it would by itself, to the last bit.

    Args:
        columns: for each comparison its differences, by query.
        name: the slice they are of.
        part: query groups and level.
        params: resamples and seed.
    """
    places: dict[tuple[str, ...], list[int]] = {}
    for place, differences in enumerate(columns):
        places.setdefault(tuple(sorted(differences)), []).append(place)
    found: dict[int, Comparison] = {}
    for queries, own in places.items():
        compared = compare_all(
            [_column(columns[place], queries) for place in own],
            group_numbers(queries, part.groups),
            alpha=part.alpha,
            resamples=params.evaluation.resamples,
            generator=plan_of(params.seed, part.split, name),
        )
        found.update(zip(own, compared, strict=True))
    return [found[place] for place in range(len(columns))]


def _column(differences: Differences, queries: Sequence[str]) -> Values:
    return np.array([differences[query] for query in queries], dtype=np.float64)


def plan_of(seed: int, split: str, name: str) -> np.random.Generator:
    """Where the draws of a slice come from, the same for whatever is compared on it.

    All of it then meets the same luck, and rows of one slice can be read beside each other.
    """
    return named_generator(seed, "resampling", split, name)


def primary_differences(
    ours: pl.DataFrame,
    theirs: pl.DataFrame,
    part: Part,
    params: Params,
    *,
    condensed: bool = False,
) -> Differences:
    """The differences of two runs on the primary measure, where both have a value.

    Args:
        ours: the selected configuration's run.
        theirs: the baseline's run.
        part: ranked queries, judgments, required evidence.
        params: the primary measure and the relevance threshold.
        condensed: take unjudged evidence out of the lists before they are cut.
    """
    measure = parse_measure(params.selection.measure)
    if condensed:
        measure = replace(measure, judged_only=True)
    values = [
        part.values_of(run, [measure], rel=params.collection.rel).drop_nulls("value")
        for run in (ours, theirs)
    ]
    both = values[0].join(values[1], on="query_id", suffix="_of_baseline").sort("query_id")
    difference = pl.col("value") - pl.col("value_of_baseline")
    return dict(both.select("query_id", difference).iter_rows())
