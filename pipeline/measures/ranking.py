"""Measures of where the relevant items stand: RR and AP.

Both are NaN for a query without a relevant item.
"""

import numpy as np

from pipeline.measures.lists import Flags, Lists, Truth, Values, share, total
from pipeline.measures.names import Measure


def _ranks(hits: Flags) -> Values:
    return np.arange(1, hits.shape[-1] + 1, dtype=np.float64)


def reciprocal_rank(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """1 / rank of the first relevant item, 0 where there is none."""
    hits = lists.grades >= rel
    best: Values = (hits / _ranks(hits)).max(axis=-1, initial=0.0)
    return truth.where_relevant(best, rel)


def average_precision(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Precision at each relevant item, summed, over all relevant items (`map_cut`)."""
    hits = lists.grades >= rel
    so_far = np.cumsum(hits, axis=-1)
    return share(total(hits * so_far / _ranks(hits)), truth.relevant(rel))
