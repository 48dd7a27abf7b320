"""Bootstrap samples of the groups of dev, on which the whole rule is repeated."""

import numpy as np

from pipeline.grid.differences import Reals
from pipeline.statistics.seeds import named_generator

SAMPLES = 200


def bag(seed: int, groups: int) -> Reals:
    """How often each group is drawn in each sample.

    Sweep and selection draw the same: the one sees which depths are needed, the other repeats
    the rule at them.

    Args:
        seed: the study's.
        groups: how many there are; drawn with replacement, as many.

    Returns:
        (samples, groups)
    """
    generator = named_generator(seed, "selection", "out-of-bag")
    drawn = generator.integers(0, groups, (SAMPLES, groups))
    return np.stack([np.bincount(row, minlength=groups) for row in drawn]).astype(np.float64)
