"""Warm calls in one process: the systems take turns, each asked by so many callers at once."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice

from pipeline.stopwatch.bench import Bench, Query
from pipeline.stopwatch.call import Called, call
from pipeline.stopwatch.plans import Plan

# Calls that are made first and not counted: caches fill, pages are touched.
WARMING = 20

Progress = Callable[[int], None]


def warm_calls(
    bench: Bench,
    plans: Sequence[Plan],
    queries: Sequence[Query],
    *,
    calls: int,
    callers: int,
    progress: Progress,
) -> list[list[Called]]:
    """Calls of each system in turn.

    The callers ask the same system at the same moment, each its own query; then the next system
    is asked the same queries. So a system's neighbours are only itself, and the calls of two
    systems at one place are of one query and one moment. From round to round the systems start
    the turn one after the other: none is always asked just after the same other one.

    Args:
        bench: what is opened.
        plans: the systems.
        queries: asked in turn, from the first again where they are fewer.
        calls: counted calls of each system, rounded up to whole rounds of the callers.
        callers: how many ask at the same time.
        progress: told how many calls were made.

    Returns:
        For each plan its calls, in the order of the queries.
    """
    asked = cycle(queries)
    rounds = -(-calls // callers)
    warming = -(-min(WARMING, calls) // callers)
    made: list[list[Called]] = [[] for _ in plans]
    with _pools(callers, plans) as (asking, branches):
        for number in range(-warming, rounds):
            those = list(islice(asked, callers))
            for place in _turn(len(plans), number):
                done = _at_once(bench, plans[place], those, asking, branches)
                if number >= 0:
                    made[place] += done
                progress(callers)
    return made


def warm_steps(plans: int, calls: int, callers: int) -> int:
    """How many calls `warm_calls` reports as progress."""
    return plans * callers * (-(-calls // callers) + -(-min(WARMING, calls) // callers))


def _turn(plans: int, number: int) -> Iterator[int]:
    first = number % plans
    yield from (*range(first, plans), *range(first))


def _at_once(
    bench: Bench,
    plan: Plan,
    queries: Sequence[Query],
    asking: Executor,
    branches: Executor,
) -> list[Called]:
    if len(queries) == 1:
        return [call(bench, plan, queries[0], branches)]
    return list(asking.map(lambda query: call(bench, plan, query, branches), queries))


@contextmanager
def _pools(callers: int, plans: Sequence[Plan]) -> Iterator[tuple[Executor, Executor]]:
    most = max(len(plan.configuration.branches) for plan in plans)
    with (
        ThreadPoolExecutor(callers, "caller") as asking,
        ThreadPoolExecutor(callers * most, "branch") as branches,
    ):
        yield asking, branches
