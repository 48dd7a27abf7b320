"""One call, from the query to the documents that a generator would be handed."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from time import perf_counter_ns

import polars as pl

from pipeline.context import context_documents
from pipeline.serving import Reply, Served, ask_branches, serve
from pipeline.stopwatch.bench import Bench, Query
from pipeline.stopwatch.plans import Plan
from pipeline.times.components import (
    COLLAPSE,
    ELIGIBILITY,
    END_TO_END,
    FETCH,
    FUSION,
    search_of,
)
from pipeline.times.work import Work, count_tokens


@dataclass(frozen=True, slots=True)
class Called:
    """What one call took and asked for.

    Args:
        spans: component to milliseconds.
        work: requests, documents, tokens.
        answer: the ids handed to the generator.
        query_id: what was asked.
        listed: branch and the documents of its reply; empty where nothing is restricted.
        failed: branch and the kind of error that it raised.
    """

    spans: Mapping[str, float]
    work: Work
    answer: tuple[str, ...]
    query_id: str = ""
    listed: tuple[tuple[str, pl.Series], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()


def call(bench: Bench, plan: Plan, query: Query, pool: Executor) -> Called:
    """Eligibility, all branches at once within their budgets, fusion, the documents' text.

    Args:
        bench: what is opened.
        plan: the system.
        query: a row of QUERIES.
        pool: where branches run.
    """
    started = perf_counter_ns()
    mask = bench.mask(query)
    eligible = perf_counter_ns()
    replies = ask_branches(
        {
            name: partial(bench.search, name, query, mask, depth)
            for name, depth in plan.configuration.depths
        },
        budgets_ms=bench.params.operations.timeout_ms,
        pool=pool,
    )
    served = serve(replies, plan.configuration, bench.params.fusion)
    fused = perf_counter_ns()
    handed = _handed(bench, served)
    texts = bench.fetch(handed)
    ended = perf_counter_ns()
    spans = {
        ELIGIBILITY: (eligible - started) / 1e6,
        **{search_of(name): reply.milliseconds for name, reply in replies.items()},
        COLLAPSE: served.spans["collapse"],
        FUSION: served.spans["fusion"],
        FETCH: (ended - fused) / 1e6,
        END_TO_END: (ended - started) / 1e6,
    }
    return Called(
        spans=spans,
        work=_work(replies, served, handed, texts),
        answer=handed,
        query_id=str(query["query_id"]),
        listed=_listed(replies) if bench.restricted else (),
        failed=_failed(replies),
    )


def _listed(replies: Mapping[str, Reply]) -> tuple[tuple[str, pl.Series], ...]:
    return tuple(
        (name, one.rows["doc_id"]) for name, one in replies.items() if one.rows is not None
    )


def _failed(replies: Mapping[str, Reply]) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(one.reason)) for name, one in replies.items() if one.status == "error")


def _handed(bench: Bench, served: Served) -> tuple[str, ...]:
    if served.run.is_empty():
        return ()
    handed = context_documents(
        served.run,
        depth=bench.params.context.depth,
        representatives=bench.params.fusion.representatives,
    )
    return tuple(handed["doc_id"])


def _work(
    replies: Mapping[str, Reply],
    served: Served,
    handed: tuple[str, ...],
    texts: list[str | None],
) -> Work:
    return Work(
        requests=dict.fromkeys(replies, 1),
        candidates=sum(0 if one.rows is None else one.rows.height for one in replies.values()),
        documents=len(handed),
        context_tokens=count_tokens(texts),
        partial=int(served.partial),
        timeouts={name: 1 for name, one in replies.items() if one.status == "timeout"},
    )
