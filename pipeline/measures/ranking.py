"""Measures of where the relevant items stand: P, R, RR, AP, Success, ZeroHit.

All are NaN for a query without a relevant item.
"""

import numpy as np

from pipeline.measures.lists import Flags, Lists, Truth, Values, share, total
from pipeline.measures.names import Measure


def _defined(values: Values, truth: Truth, rel: int) -> Values:
    return np.where(truth.relevant(rel) > 0, values, np.nan)


def _ranks(hits: Flags) -> Values:
    return np.arange(1, hits.shape[-1] + 1, dtype=np.float64)


def precision(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Relevant items in the top k, over k (a shorter list does not shorten k)."""
    cutoff = np.asarray(measure.cutoff, dtype=np.float64)
    return _defined(share((lists.grades >= rel).sum(axis=-1), cutoff), truth, rel)


def recall(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Relevant items in the top k, over all relevant items."""
    return share((lists.grades >= rel).sum(axis=-1), truth.relevant(rel))


def reciprocal_rank(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """1 / rank of the first relevant item, 0 where there is none."""
    hits = lists.grades >= rel
    best: Values = (hits / _ranks(hits)).max(axis=-1, initial=0.0)
    return _defined(best, truth, rel)


def average_precision(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Precision at each relevant item, summed, over all relevant items (`map_cut`)."""
    hits = lists.grades >= rel
    so_far = np.cumsum(hits, axis=-1)
    return share(total(hits * so_far / _ranks(hits)), truth.relevant(rel))


def success(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """1 where the top k hold a relevant item, else 0."""
    return _defined(np.asarray((lists.grades >= rel).any(axis=-1), np.float64), truth, rel)


def zero_hit(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """1 where the top k hold no relevant item, else 0."""
    return 1.0 - success(measure, lists, truth, rel)
