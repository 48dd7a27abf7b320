"""The second view: what the comparisons say when queries count by their traffic."""

from collections.abc import Iterable, Mapping

import polars as pl

from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import mean_interval, named_seed, paired_comparison
from pipeline.systems import SELECTED


def query_weights(part: Part) -> Mapping[str, float]:
    """The declared weights above 0; a query without one counts once. Empty where none declares any.

    Relative to the largest, so that sums of them stay finite.
    """
    weights = part.queries.select("query_id", "weight")
    if weights["weight"].null_count() == weights.height:
        return {}
    given = weights.with_columns(pl.col("weight").fill_null(1.0)).filter(pl.col("weight") > 0)
    relative = given.with_columns(pl.col("weight") / pl.col("weight").max())
    return dict(relative.filter(pl.col("weight") > 0).iter_rows())


def weighted_figures(
    per_query: pl.DataFrame, baselines: Iterable[str], part: Part, params: Params
) -> dict[str, dict[str, float | None]]:
    """The selected configuration against baselines on the primary measure, by traffic.

    Args:
        per_query: the part's rows of PER_QUERY.
        baselines: systems.
        part: its queries with weights, groups and level.
        params: primary measure, resamples, seed.

    Returns:
        `NAME`: value, delta, low, high; empty where no query declares a weight.
    """
    weights, measure = query_weights(part), params.selection.measure
    values = per_query.filter(
        (pl.col("measure") == measure) & pl.col("query_id").is_in(sorted(weights))
    )
    if not weights or values.is_empty():
        return {}
    found = {}
    for baseline in baselines:
        compared = paired_comparison(
            values,
            system=SELECTED,
            baseline=baseline,
            groups=part.groups,
            alpha=part.alpha,
            resamples=params.evaluation.resamples,
            seed=named_seed(params.seed, part.split, measure, "weighted"),
            weights=weights,
        )
        of_baseline = values.filter(pl.col("system") == baseline)
        mean = mean_interval(of_baseline, part.groups, part.alpha, weights=weights).value
        found[baseline] = {
            "value": mean,
            "delta": compared.delta,
            "low": compared.low,
            "high": compared.high,
        }
    return found
