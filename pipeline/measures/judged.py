"""Bpref, a measure of what was judged alone."""

import numpy as np

from pipeline.measures.lists import Lists, Truth, Values, share, total
from pipeline.measures.names import Measure


def bpref(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Binary preference: how rarely judged non-relevant items stand above relevant ones.

    With R relevant and N judged non-relevant items, the mean over the relevant items of
    1 − min(n, R) / min(N, R), where n non-relevant ones stand above; items not retrieved give 0.
    Unjudged items and negative grades are passed over, as trec_eval does
    (Buckley & Voorhees 2004).
    """
    relevant = truth.relevant(rel)
    hits = lists.grades >= rel
    above = np.cumsum((lists.grades >= 0) & ~hits, axis=-1)
    # Where N is 0 nothing can stand above, and the divisor does not matter.
    most = np.maximum(np.minimum(truth.nonrelevant(rel), relevant), 1)
    lost = np.minimum(above, relevant[..., np.newaxis]) / most[..., np.newaxis]
    return share(total(hits * (1.0 - lost)), relevant)
