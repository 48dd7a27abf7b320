"""The interval of one paired difference: one place for its draws, whoever asks."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import polars as pl

from pipeline.measures import parse_measure, per_query
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import (
    Comparison,
    compare_differences,
    group_numbers,
    named_generator,
    named_seed,
)
from pipeline.systems import SELECTED

# One query's difference, the selected configuration's value minus the baseline's.
Differences = Mapping[str, float]


def compare_queries(
    differences: Differences, baseline: str, *names: str, part: Part, params: Params
) -> Comparison:
    """The comparison of paired differences by query group.

    Args:
        differences: by query.
        baseline: whom the selected configuration is compared with.
        names: measure, slice, view: draws depend on them and never on the order of calls.
        part: query groups and level.
        params: resamples and seed.
    """
    queries = sorted(differences)
    return compare_differences(
        np.array([differences[query] for query in queries], dtype=np.float64),
        group_numbers(queries, part.groups),
        alpha=part.alpha,
        resamples=params.evaluation.resamples,
        generator=draws_of(params.seed, part.split, *names, baseline=baseline),
    )


def draws_of(seed: int, split: str, *names: str, baseline: str) -> np.random.Generator:
    """Where the bootstrap draws of a comparison with the selected configuration come from."""
    return named_generator(named_seed(seed, split, *names), "comparison", SELECTED, baseline)


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
        per_query(
            run,
            part.judgments,
            [measure],
            rel=params.collection.rel,
            queries=part.ranked,
            required=part.required(),
            repeats="first_gains",
        ).drop_nulls("value")
        for run in (ours, theirs)
    ]
    both = values[0].join(values[1], on="query_id", suffix="_of_baseline").sort("query_id")
    difference = pl.col("value") - pl.col("value_of_baseline")
    return dict(both.select("query_id", difference).iter_rows())
