"""What a query asks for beside time: requests, candidates, documents, context tokens."""

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from pipeline.choices import final_choice
from pipeline.context import context_documents
from pipeline.fusion import Configuration, fuse
from pipeline.operations.served import Served
from pipeline.systems import SELECTED, single_branch
from pipeline.tables import COST
from pipeline.times import END_TO_END, Timing, Work
from pipeline.times.work import count_tokens

LISTS, RECORD = "lists", "record"


def cost_table(served: Served, timings: Sequence[Timing]) -> pl.DataFrame:
    """Means per query of every branch served alone and of the selected configuration.

    From the stored lists of all queries, which recorded runs have too; and from what
    `rankgate time` counted, where it did.

    Args:
        served: what is served; without any text context tokens are not counted.
        timings: as `present_timings` gives them.

    Returns:
        COST.
    """
    tokens = _tokens(served.documents)
    rows = [
        row
        for system, configuration in _systems(served).items()
        for row in _of_lists(system, configuration, served, tokens)
    ]
    counted = [row for one in timings for row in _of_record(one, texts=tokens is not None)]
    return COST.check(pl.DataFrame([*rows, *counted], schema=dict(COST.columns), orient="row"))


def _systems(served: Served) -> dict[str, Configuration]:
    chosen, params = final_choice(served.selection).selected, served.params
    systems = {name: single_branch(params, name) for name in sorted(params.candidates)}
    return systems if chosen is None else {**systems, SELECTED: chosen}


def _tokens(documents: pl.DataFrame) -> pl.DataFrame | None:
    """Each document's title and text counted; None where no document has either."""
    if documents["title"].null_count() + documents["text"].null_count() == 2 * documents.height:
        return None
    counted = [count_tokens(both) for both in documents.select("title", "text").iter_rows()]
    return documents.select("doc_id").with_columns(pl.Series("tokens", counted, dtype=pl.Int64))


def _of_lists(
    system: str,
    configuration: Configuration,
    served: Served,
    tokens: pl.DataFrame | None,
) -> Iterator[tuple[str, str, str, float, int]]:
    queries, params = served.queries.height, served.params
    asked = candidates_asked(served.candidates, configuration)
    handed = context_documents(
        fuse(asked, configuration.contract(params.fusion)),
        depth=params.context.depth,
        representatives=params.fusion.representatives,
    )
    totals = {
        "requests": queries * len(configuration.branches),
        **{f"requests:{name}": queries for name in configuration.branches},
        "candidates": asked.height,
        "documents": handed.height,
    }
    if tokens is not None:
        held = handed.join(tokens, on="doc_id", how="left")
        totals["context_tokens"] = int(held["tokens"].sum())
    yield from _means(system, totals, LISTS, queries)


def candidates_asked(candidates: pl.DataFrame, configuration: Configuration) -> pl.DataFrame:
    """The rows of CANDIDATES that the configuration's branches return at its depths."""
    depths = pl.col("branch").replace_strict(
        dict(configuration.depths), default=0, return_dtype=pl.Int64
    )
    return candidates.filter(pl.col("rank") <= depths)


def _of_record(one: Timing, *, texts: bool) -> Iterator[tuple[str, str, str, float, int]]:
    ours = (one.component, one.mode, one.callers) == (END_TO_END, "warm", 1)
    if ours and one.work is not None:
        yield from _means(one.system, _totals(one.work, texts), RECORD, len(one.calls_ms))


def _totals(work: Work, texts: bool) -> dict[str, int]:
    totals = {
        "requests": sum(work.requests.values()),
        **{f"requests:{name}": number for name, number in work.requests.items()},
        "candidates": work.candidates,
        "documents": work.documents,
    }
    return totals | ({"context_tokens": work.context_tokens} if texts else {})


def _means(
    system: str, totals: Mapping[str, int], source: str, queries: int
) -> Iterator[tuple[str, str, str, float, int]]:
    for quantity, total in totals.items():
        if queries:
            yield system, quantity, source, total / queries, queries
