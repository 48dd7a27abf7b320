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
    seed = named_seed(params.seed, part.split, *names)
    return compare_differences(
        np.array([differences[query] for query in queries], dtype=np.float64),
        group_numbers(queries, part.groups),
        alpha=part.alpha,
        resamples=params.evaluation.resamples,
        generator=named_generator(seed, "comparison", SELECTED, baseline),
    )
