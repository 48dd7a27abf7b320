"""Every branch is asked at the same time, and waited for no longer than its budget."""

from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, replace
from time import perf_counter_ns

import polars as pl

from pipeline.serving.states import Status


@dataclass(frozen=True, slots=True)
class Reply:
    """What a branch gave for one query.

    Args:
        status: how it went.
        rows: its list (BRANCH_CANDIDATES); None where there is none.
        milliseconds: from the request to the reply, waiting for a free thread included; of a
            branch that was given up, how long it was waited for.
        reason: what went wrong, in a few words: the kind of error, never its text.
        returned: how many rows the engine says it returned; None where it does not say.
        snapshot: the corpus its index says it was made of; None where it does not say.
    """

    status: Status
    rows: pl.DataFrame | None = None
    milliseconds: float = 0.0
    reason: str | None = None
    returned: int | None = None
    snapshot: str | None = None


Ask = Callable[[], Reply]


def ask_branches(
    calls: Mapping[str, Ask], *, budgets_ms: Mapping[str, float], pool: Executor
) -> dict[str, Reply]:
    """Asks every branch at once.

    A reply that comes later than its branch's budget counts as a timeout even where it was still
    collected: what is answered then depends on the branch alone and not on who was waited for
    first. A call that was given up goes on in its thread until it ends by itself.

    Args:
        calls: branch to the call that asks it.
        budgets_ms: branch to milliseconds, counted from the request; a branch without a budget
            is waited for.
        pool: at least as many free threads as branches, or waiting for one eats up the budget.

    Returns:
        A reply of every branch, by name. A call that raises is an `error`, a TimeoutError of its
        own a `timeout`; no branch is ever lost.
    """
    started = perf_counter_ns()
    futures = {name: pool.submit(_timed, call, started) for name, call in calls.items()}
    # The nearest deadline first: whoever has no budget must not hold up the others' clocks.
    waiting = sorted(calls, key=lambda name: budgets_ms.get(name, float("inf")))
    replies = {name: _wait(futures[name], budgets_ms.get(name), started) for name in waiting}
    return {name: replies[name] for name in sorted(calls)}


def _timed(call: Ask, started: int) -> Reply:
    try:
        reply = call()
    except TimeoutError as problem:
        reply = Reply("timeout", reason=type(problem).__name__)
    # A branch may fail in any way, and the others still answer.
    except Exception as problem:  # noqa: BLE001
        reply = Reply("error", reason=type(problem).__name__)
    return replace(reply, milliseconds=_since(started))


def _wait(future: Future[Reply], budget: float | None, started: int) -> Reply:
    if budget is None:
        return future.result()
    try:
        reply = future.result(timeout=max(0.0, budget - _since(started)) / 1000)
    except NotYet:
        future.cancel()
        return Reply("timeout", milliseconds=_since(started), reason=_late(budget))
    if reply.milliseconds > budget:
        return Reply("timeout", milliseconds=reply.milliseconds, reason=_late(budget))
    return reply


def _late(budget: float) -> str:
    return f"no reply within {budget:g} ms"


def _since(started: int) -> float:
    return (perf_counter_ns() - started) / 1e6
