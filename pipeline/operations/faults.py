"""The table of faults: the primary measure, empty and partial answers under each."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.measures import per_query
from pipeline.operations.dropout import Share, answer
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import SELECTED
from pipeline.tables import FAULTS, NO_FAULT

# States in which a branch did not give what it has.
NOT_WHOLE = ("timeout", "error", "partial", "missing")


@dataclass(frozen=True, slots=True)
class Answered:
    """What the selected system answers under a fault.

    Args:
        fault: its name.
        run: the lists.
        partial: the answered queries that a branch is missing from.
    """

    fault: str
    run: pl.DataFrame
    partial: int


def fault_rows(
    part: Part, parts: Sequence[Share], candidate_queries: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """The faults tried on one part.

    Args:
        part: queries and labels.
        parts: what answers them.
        candidate_queries: CANDIDATE_QUERIES.
        params: which faults; the primary measure.

    Returns:
        FAULTS. `value` is the mean over the part's ranked queries, those answered by nothing
        included; `empties`, `partials` and `queries` count all of its queries.
    """
    if not parts:
        return FAULTS.empty()
    tried = [_healthy(parts, candidate_queries, params)]
    for fault in params.operations.faults:
        tried.extend(TRIED[fault](parts, params))
    means = [_mean(one.run, part, params) for one in tried]
    rows = [
        {
            "fault": one.fault,
            "system": SELECTED,
            "split": part.split,
            "measure": params.selection.measure,
            "value": mean,
            "delta": None if mean is None or means[0] is None else mean - means[0],
            "empties": part.queries.height - one.run["query_id"].n_unique(),
            "partials": one.partial,
            "queries": part.queries.height,
        }
        for one, mean in zip(tried, means, strict=True)
    ]
    return FAULTS.check(pl.DataFrame(rows, schema=dict(FAULTS.columns)))


def dropped_branches(parts: Iterable[Share]) -> list[str]:
    """The branches that any of the configurations uses, sorted."""
    return sorted({name for one in parts for name in one.configuration.branches})


def _healthy(parts: Sequence[Share], states: pl.DataFrame, params: Params) -> Answered:
    run = answer(parts, params.fusion)
    unwell = states.filter(
        pl.col("branch").is_in(dropped_branches(parts)) & pl.col("status").is_in(NOT_WHOLE)
    )
    partial = run.select("query_id").unique().join(unwell, on="query_id", how="semi")
    return Answered(NO_FAULT, run, partial.height)


def _dropouts(parts: Sequence[Share], params: Params) -> Iterator[Answered]:
    for branch in dropped_branches(parts):
        run = answer(parts, params.fusion, out=branch)
        # Whatever is answered with a branch out is an answer in part.
        yield Answered(f"dropout:{branch}", run, run["query_id"].n_unique())


TRIED: Mapping[str, Callable[[Sequence[Share], Params], Iterable[Answered]]] = {
    "dropout": _dropouts
}


def _mean(run: pl.DataFrame, part: Part, params: Params) -> float | None:
    if not part.ranked:
        return None
    values = per_query(
        run,
        part.judgments,
        [params.selection.measure],
        rel=params.collection.rel,
        queries=part.ranked,
        required=part.required(),
        repeats="first_gains",
    )
    mean = values["value"].mean()
    return float(mean) if isinstance(mean, float) else None
