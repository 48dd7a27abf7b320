"""Measures that add up gains down the list: nDCG and RBP."""

from collections.abc import Callable, Mapping

import numpy as np

from pipeline.errors import ContractError
from pipeline.measures.lists import Grades, Lists, Truth, Values, share, total
from pipeline.measures.names import Measure

MOST_GRADE = 1_000

GAINS: Mapping[str, Callable[[Values], Values]] = {
    "log2": lambda grades: grades,
    "exp-log2": lambda grades: _powers(grades),
}


def _powers(grades: Values) -> Values:
    """2^grade - 1; a grade whose power no float holds would make 0 / 0 of a perfect list."""
    highest = grades.max(initial=0.0)
    if highest > MOST_GRADE:
        raise ContractError(
            "a grade is too high for the gain 2^grade - 1",
            found=f"grade {highest:.0f}",
            expected=f"at most {MOST_GRADE}, or the linear gain (nDCG without dcg=)",
        )
    return np.exp2(grades) - 1.0


def ndcg(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Normalised discounted cumulative gain: Σ gain / log2(rank + 1) over the ideal's.

    Gains are max(grade, 0); the ideal list holds all judged items, cut at the same rank
    (Järvelin & Kekäläinen 2002; `ndcg_cut` of trec_eval).
    """
    ideal = truth.once(
        ("ideal", measure.cutoff, measure.dcg),
        lambda: _discounted(truth.grades[..., : measure.cutoff], measure.dcg),
    )
    found = _discounted(lists.grades, measure.dcg)
    return truth.where_relevant(share(found, ideal), rel)


def _discounted(grades: Grades, dcg: str) -> Values:
    gains = GAINS[dcg](np.maximum(grades, 0).astype(np.float64))
    return total(gains / np.log2(np.arange(2, grades.shape[-1] + 2)))


def rank_biased_precision(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """(1 − p) Σ p^(rank − 1) over the relevant items (Moffat & Zobel 2008).

    Binary, as ir_measures computes it; where the name gives no `rel`, the collection's counts.
    trec_eval's `rbp` is the same for grades 0 and 1; of more grades it gains each over the highest.
    """
    persistence = measure.p ** np.arange(lists.grades.shape[-1])
    found = (1.0 - measure.p) * total((lists.grades >= rel) * persistence)
    return truth.where_relevant(found, rel)
