"""The plausible view: unjudged evidence imputed many times, by the rates of judged evidence.

Multiple imputation with Rubin's rules (D. B. Rubin, Multiple Imputation for Nonresponse in
Surveys, 1987), degrees of freedom for small samples after Barnard and Rubin (Biometrika 86, 1999).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from pipeline.evaluation.bounds.assumed import values_under
from pipeline.evaluation.bounds.duel import Duel
from pipeline.evaluation.bounds.rates import ELSEWHERE, Cell, Rates
from pipeline.evaluation.bounds.ratio import Reals
from pipeline.measures import Measure
from pipeline.statistics.groups import EQUAL, Grouped, Numbers

IMPUTATIONS = 50


@dataclass(frozen=True, slots=True)
class Pooled:
    """A mean over imputations with its bounds.

    Args:
        delta: mean difference.
        low: one-sided 1 − α lower bound; None where there is no interval.
        high: likewise.
    """

    delta: float
    low: float | None
    high: float | None


def imputed_differences(
    duels: Sequence[Duel],
    rates: Rates,
    places: Mapping[tuple[str, str], Cell],
    measure: Measure,
    *,
    rel: int,
    generator: np.random.Generator,
) -> Reals:
    """(queries, imputations): ours minus theirs, with every unjudged item of either list graded.

    Args:
        duels: the queries' lists, cut to what the measure looks at.
        rates: of judged evidence.
        places: each pair's cell; what no branch returned is the deepest band's.
        measure: any measure of our own.
        rel: the collection's lowest relevant grade.
        generator: where the draws come from.
    """
    rows = []
    for duel in duels:
        cells = [places.get((duel.query_id, item), ELSEWHERE) for item in duel.unjudged]
        drawn = (
            rates.draw(cells, IMPUTATIONS, generator)
            if cells
            else np.empty((IMPUTATIONS, 0), dtype=np.int64)
        )
        ours, theirs = values_under(duel, drawn, measure, rel)
        rows.append(ours - theirs)
    return np.stack(rows)


def pooled(differences: Reals, groups: Numbers, alpha: float) -> Pooled:
    """Rubin's rules over imputations, each with its cluster-robust error.

    T = W + (1 + 1/M)·B, where W is the mean of the squared errors and B the variance of the means.

    Args:
        differences: (queries, imputations).
        groups: group number of each query.
        alpha: one-sided.
    """
    each = [Grouped.of(column, groups) for column in differences.T]
    means = [one.mean for one in each]
    number, delta = len(means), math.fsum(means) / len(means)
    within = math.fsum(one.standard_error**2 for one in each) / number
    between = math.fsum((mean - delta) ** 2 for mean in means) / (number - 1)
    total = within + (1.0 + 1.0 / number) * between
    if each[0].groups < 2 or total <= EQUAL**2:
        nothing = 0.0 if abs(delta) <= EQUAL and each[0].groups > 1 else None
        return Pooled(delta, nothing, nothing)
    freedom = _freedom((1.0 + 1.0 / number) * between / total, number, each[0].groups - 1)
    reach = float(-special.stdtrit(freedom, alpha)) * math.sqrt(total)
    return Pooled(delta, delta - reach, delta + reach)


def _freedom(missing: float, number: int, complete: int) -> float:
    """Barnard and Rubin: never more degrees of freedom than the complete data have."""
    observed = (complete + 1.0) / (complete + 3.0) * complete * (1.0 - missing)
    if missing <= EQUAL:
        return observed
    imputed = (number - 1) / missing**2
    return imputed * observed / (imputed + observed)
