"""Pairs two systems' values by query, and compares them."""

from collections.abc import Mapping

import polars as pl

from pipeline.errors import ContractError, first_three
from pipeline.statistics.comparison import Comparison, compare_differences
from pipeline.statistics.groups import Groups, group_numbers, query_weights
from pipeline.statistics.seeds import named_generator


def paired_comparison(
    values: pl.DataFrame,
    *,
    system: str,
    baseline: str,
    groups: Groups,
    alpha: float = 0.05,
    resamples: int = 10_000,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
) -> Comparison:
    """Compares two systems on the same queries.

    Args:
        values: system, query_id, value, of one measure; null where it is undefined. Further
            systems are passed over.
        system: the one that should be better.
        baseline: the other one.
        groups: query id to group id, or query_id, group_id.
        alpha: one-sided, between 0 and 0.5.
        resamples: bootstrap samples.
        seed: the study's seed; the draws depend on it, on `system` and on `baseline`. For
            draws that differ by measure or slice too, give `named_seed(seed, measure, slice)`.
        weights: query id to its positive weight (traffic); a macro mean where None.

    Returns:
        The comparison over the queries where both values are defined.

    Raises:
        ContractError: a column is missing, a system has no rows, a query stands twice or for
            one of the two systems only, a value is NaN or infinite, a query has no group.
        ParameterError: alpha or resamples out of range.
    """
    pairs = _pairs(values, system, baseline)
    queries = pairs["query_id"].to_list()
    return compare_differences(
        pairs["difference"].to_numpy(),
        group_numbers(queries, groups),
        alpha=alpha,
        resamples=resamples,
        generator=named_generator(seed, "comparison", system, baseline),
        weights=query_weights(queries, weights),
    )


def _pairs(values: pl.DataFrame, system: str, baseline: str) -> pl.DataFrame:
    ours, theirs = (_side(values, name) for name in (system, baseline))
    both = ours.join(
        theirs, on="query_id", how="full", coalesce=True, suffix="_baseline", validate="1:1"
    )
    lonely = both.filter(pl.any_horizontal(pl.col("there", "there_baseline").is_null()))
    if lonely.height:
        raise ContractError(
            f"{system!r} and {baseline!r} are not measured on the same queries",
            found=f"only one of them has {first_three(lonely['query_id'].sort().to_list())}",
            expected="a row for both (0 where nothing was returned, null where undefined)",
        )
    return (
        both.with_columns(difference=pl.col("value") - pl.col("value_baseline"))
        .drop_nulls("difference")
        .sort("query_id")
    )


def _side(values: pl.DataFrame, system: str) -> pl.DataFrame:
    missing = {"system", "query_id", "value"} - set(values.columns)
    if missing:
        raise ContractError("wrong columns", where="values", found=f"missing {sorted(missing)}")
    rows = values.filter(pl.col("system") == system).select(
        "query_id", pl.col("value").cast(pl.Float64), there=True
    )
    if not rows.height:
        raise ContractError(
            f"no values of {system!r}",
            found=first_three(values["system"].unique().sort().to_list()),
        )
    if rows["query_id"].is_duplicated().any():
        raise ContractError(f"a query of {system!r} has several values", expected="one measure")
    if not rows["value"].is_finite().fill_null(True).all():
        raise ContractError(f"values of {system!r} are NaN or infinite", expected="numbers or null")
    return rows
