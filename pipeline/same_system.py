"""A/A: a system against itself must show no difference beyond the noise that is declared for it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.measures import has_ties
from pipeline.params import Params, RecordedBranch
from pipeline.parts import Part
from pipeline.statistics import Comparison, compare_differences, group_numbers, named_generator
from pipeline.statistics.groups import EQUAL
from pipeline.systems import System, rank_systems

SHUFFLES = 20


@dataclass(frozen=True, slots=True)
class SameSystem:
    """One system against itself on the primary measure.

    Args:
        system: its name.
        again: what was done differently: `computed twice` or `ties shuffled`.
        largest: the largest change of the mean in any of the repetitions.
        delta: the mean change over all of them.
        low: L of delta, at α over all systems that are tried; 0 without any difference.
        high: U, likewise.
        allowed: for a single branch, how far its mean may fall and rise over the orders of its
            tied items; None for what is fused from them.
        queries: queries compared.
        groups: their groups.
        beyond: whether the change is more than noise: any at all where it was computed twice;
            else outside what is allowed, or with an interval that leaves out 0.
    """

    system: str
    again: str
    largest: float
    delta: float
    low: float | None
    high: float | None
    allowed: tuple[float, float] | None
    queries: int
    groups: int
    beyond: bool


def same_systems(
    systems: Sequence[System], candidates: pl.DataFrame, part: Part, params: Params
) -> list[SameSystem]:
    """Every system computed twice, and with the tied items of its branches in other orders.

    Args:
        systems: branches first; what is fused from them after.
        candidates: CANDIDATES.
        part: whose labels measure it; dev, so that nothing is opened.
        params: primary measure, fusion, order of recorded branches, seed, relevance threshold.

    Returns:
        Two for each system, in order; none where no query can be measured.
    """
    if not part.ranked or not systems:
        return []
    plain = _values(systems, candidates, part, params)
    again = _values(systems, candidates.reverse(), part, params)
    shuffled = [
        _values(systems, _shuffled(candidates, number, params), part, params)
        for number in range(SHUFFLES)
    ]
    alpha = part.alpha / len(systems)
    return [
        found
        for system in systems
        for found in (
            _twice(system, plain, again, part, alpha),
            _tied(system, plain, shuffled, candidates, part, params, alpha),
        )
    ]


Values = Mapping[str, np.ndarray]


def _values(
    systems: Sequence[System], candidates: pl.DataFrame, part: Part, params: Params
) -> Values:
    """By system, the primary measure of the part's ranked queries, in their order."""
    runs = rank_systems(systems, candidates, params.fusion)
    return {system.name: _measured(runs, system.name, part, params) for system in systems}


def _measured(runs: pl.DataFrame, name: str, part: Part, params: Params) -> np.ndarray:
    found = part.values_of(
        runs.filter(pl.col("system") == name),
        [params.selection.measure],
        rel=params.collection.rel,
    )
    return found["value"].fill_null(np.nan).to_numpy()


def _shuffled(candidates: pl.DataFrame, number: int, params: Params) -> pl.DataFrame:
    """The lists with tied items in another order; lists not ordered by score stay."""
    scored = [
        name
        for name, branch in params.candidates.items()
        if not isinstance(branch, RecordedBranch) or branch.order == "score"
    ]
    rows = candidates.sort("branch", "query_id", "rank")
    draws = named_generator(params.seed, "ties", str(number)).random(rows.height)
    # An untied item keeps its place: its score is its own.
    tied = pl.col("branch").is_in(scored) & pl.col("score").is_not_null()
    block = (pl.col("score") != pl.col("score").shift(1)).fill_null(True).cum_sum()
    ordered = (
        rows.with_columns(
            block=pl.when(tied).then(block.over("branch", "query_id")).otherwise(pl.col("rank")),
            draw=pl.Series(draws),
        )
        .sort("branch", "query_id", "block", "draw")
        .with_columns(rank=pl.int_range(1, pl.len() + 1).over("branch", "query_id"))
    )
    return ordered.drop("block", "draw")


def _twice(system: System, plain: Values, again: Values, part: Part, alpha: float) -> SameSystem:
    moved = again[system.name] - plain[system.name]
    compared = _compared(moved, part, alpha)
    beyond = compared.degenerate not in {"no difference", "no queries"}
    return _result(system, "computed twice", [moved], compared, None, beyond)


def _tied(
    system: System,
    plain: Values,
    shuffled: Sequence[Values],
    candidates: pl.DataFrame,
    part: Part,
    params: Params,
    alpha: float,
) -> SameSystem:
    moved = [one[system.name] - plain[system.name] for one in shuffled]
    compared = _compared(np.mean(moved, axis=0), part, alpha)
    allowed = _allowed(system, plain, candidates, part, params)
    told = compared.degenerate == "no spread" or not _covers_zero(compared)
    outside = allowed is not None and any(
        not allowed[0] - EQUAL <= change <= allowed[1] + EQUAL for change in _changes(moved)
    )
    return _result(system, "ties shuffled", moved, compared, allowed, told or outside)


def _compared(moved: np.ndarray, part: Part, alpha: float) -> Comparison:
    defined = ~np.isnan(moved)
    queries = [query for query, kept in zip(part.ranked, defined, strict=True) if kept]
    return compare_differences(
        moved[defined],
        group_numbers(queries, part.groups),
        alpha=alpha,
        resamples=1_000,
        generator=named_generator(0, "same system"),
    )


def _covers_zero(compared: Comparison) -> bool:
    if compared.low is None or compared.high is None:
        return True
    return compared.low <= 0.0 <= compared.high


def _changes(moved: Sequence[np.ndarray]) -> Iterator[float]:
    return (float(np.nanmean(one)) for one in moved if not np.isnan(one).all())


def _allowed(
    system: System, plain: Values, candidates: pl.DataFrame, part: Part, params: Params
) -> tuple[float, float] | None:
    """How far the mean of a single branch may move, exact over all orders of its ties."""
    # Of a source the best-ranked member speaks, and another order lets another one speak.
    if system.configuration.method != "branch" or params.fusion.level == "source":
        return None
    run = rank_systems([system], candidates, params.fusion)
    if not has_ties(run):
        return 0.0, 0.0
    measures = [params.selection.measure]
    ranges = part.tie_ranges_of(run, measures, rel=params.collection.rel).drop_nulls("lowest")
    mean = float(np.nanmean(plain[system.name]))
    low, high = ranges["lowest"].mean(), ranges["highest"].mean()
    return float(low or 0.0) - mean, float(high or 0.0) - mean  # type: ignore[arg-type]


def _result(
    system: System,
    again: str,
    moved: Sequence[np.ndarray],
    compared: Comparison,
    allowed: tuple[float, float] | None,
    beyond: bool,
) -> SameSystem:
    return SameSystem(
        system=system.name,
        again=again,
        largest=max((abs(change) for change in _changes(moved)), default=0.0),
        delta=compared.delta or 0.0,
        low=compared.low,
        high=compared.high,
        allowed=allowed,
        queries=compared.queries,
        groups=compared.groups,
        beyond=beyond,
    )
