"""Measures of how many items of a kind stand in the top k, wherever they stand there.

They need no order within the top: whoever knows the counts can ask for the value. Those of
relevant items are NaN for a query without one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.measures.lists import UNJUDGED, Counts, Flags, Grades, Lists, Truth, Values, share
from pipeline.measures.names import Measure

Kind = Literal["relevant", "judged", "required"]

# The measure, items of the kind in the top k, items returned there, what is known, rel.
Value = Callable[[Measure, Counts, Counts, Truth, int], Values]


@dataclass(frozen=True, slots=True)
class Counted:
    """A measure of counts.

    Args:
        kind: which items are counted.
        value: from their number to the measure's value.
    """

    kind: Kind
    value: Value


def precision(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """Relevant items in the top k, over k (a shorter list does not shorten k)."""
    cutoff = np.asarray(m.cutoff, dtype=np.float64)
    return truth.where_relevant(share(hits, cutoff), rel)


def recall(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """Relevant items in the top k, over all relevant items."""
    return share(hits, truth.relevant(rel))


def success(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """1 where the top k hold a relevant item, else 0."""
    return truth.where_relevant((hits > 0).astype(np.float64), rel)


def zero_hit(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """1 where the top k hold no relevant item, else 0."""
    return 1.0 - success(m, hits, returned, truth, rel)


def judged(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """Judged items in the top k, over the items returned there; NaN for an empty list."""
    return share(hits, returned)


def coverage(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """Share of the required evidence in the top k; NaN where none is declared."""
    return share(hits, truth.required)


def all_evidence(m: Measure, hits: Counts, returned: Counts, truth: Truth, rel: int) -> Values:
    """1 where the top k hold all required evidence, else 0; NaN where none is declared."""
    covered = share(hits, truth.required)
    covered[covered < 1.0] = 0.0
    return covered


COUNTED: Mapping[str, Counted] = {
    "P": Counted("relevant", precision),
    "R": Counted("relevant", recall),
    "Success": Counted("relevant", success),
    "ZeroHit": Counted("relevant", zero_hit),
    "Judged": Counted("judged", judged),
    "EvidenceCoverage": Counted("required", coverage),
    "AllEvidence": Counted("required", all_evidence),
}


def flagged(kind: Kind, grades: Grades, required: Flags, rel: int) -> Flags:
    """Which items are of a kind."""
    if kind == "required":
        return required
    return grades >= rel if kind == "relevant" else grades != UNJUDGED


def count(counted: Counted, measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """The value of a measure of counts for lists that are cut at its cutoff."""
    flags = flagged(counted.kind, lists.grades, lists.required, rel)
    hits = np.asarray(np.count_nonzero(flags, axis=-1), np.int64)
    return counted.value(measure, hits, lists.returned, truth, rel)
