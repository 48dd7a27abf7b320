"""Every measure's function, and the one door to them."""

from collections.abc import Callable, Mapping
from functools import partial

from pipeline.measures.counted import COUNTED, count
from pipeline.measures.gains import ndcg, rank_biased_precision
from pipeline.measures.judged import bpref
from pipeline.measures.lists import Lists, Truth, Values
from pipeline.measures.names import Measure
from pipeline.measures.ranking import average_precision, reciprocal_rank

Kernel = Callable[[Measure, Lists, Truth, int], Values]

KERNELS: Mapping[str, Kernel] = {
    "nDCG": ndcg,
    "RR": reciprocal_rank,
    "AP": average_precision,
    "Bpref": bpref,
    "RBP": rank_biased_precision,
    **{family: partial(count, counted) for family, counted in COUNTED.items()},
}


def measure_lists(measure: Measure, lists: Lists, truth: Truth, *, rel: int) -> Values:
    """The values of a measure, one per list.

    Args:
        measure: which one.
        lists: (…, queries, depth), as in `Lists`.
        truth: of the same queries.
        rel: the collection's lowest relevant grade, where the measure names none.

    Returns:
        (…, queries); NaN where the measure is undefined: no relevant item, an empty list for
        Judged, no declared evidence.
    """
    seen = lists.condensed() if measure.judged_only else lists
    threshold = rel if measure.rel is None else measure.rel
    return KERNELS[measure.family](measure, seen.cut(measure.cutoff), truth, threshold)
