"""The interval of one paired difference: one place for its draws, whoever asks."""

from collections.abc import Mapping

import numpy as np

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
