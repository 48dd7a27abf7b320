"""First calls in fresh processes, as after a deployment or a scale-up."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from itertools import cycle, islice
from multiprocessing import get_context
from time import perf_counter_ns

from pipeline.errors import MissingError
from pipeline.stopwatch.bench import Query, Sources, open_bench
from pipeline.stopwatch.call import Called, call
from pipeline.stopwatch.plans import Plan
from pipeline.stopwatch.warm import Progress
from pipeline.times.components import END_TO_END, START


def cold_calls(
    sources: Sources,
    plans: Sequence[Plan],
    queries: Sequence[Query],
    *,
    processes: int,
    progress: Progress,
) -> list[list[Called]]:
    """One call in each of so many fresh processes, for each system by itself.

    A call warms whatever the next one needs, so no process serves two systems. The systems take
    turns, and the process at one place of each is asked the same query.

    Args:
        sources: what the branches are opened on.
        plans: the systems.
        queries: asked in turn.
        processes: for each system.
        progress: told of each process that ended.

    Returns:
        For each plan its calls; `start` is from the request for a process until it could be
        asked: interpreter, imports, documents handed over, indexes opened.

    Raises:
        MissingError: a process died before it answered.
    """
    made: list[list[Called]] = [[] for _ in plans]
    for query in islice(cycle(queries), processes):
        for place, plan in enumerate(plans):
            made[place].append(_in_fresh_process(sources, plan, query))
            progress(1)
    return made


def first_call(sources: Sources, plan: Plan, query: Query) -> Called:
    """Opens the branches of one system and asks it once."""
    branches = plan.configuration.branches
    bench = open_bench(sources, branches)
    with ThreadPoolExecutor(len(branches)) as pool:
        return call(bench, plan, query, pool)


def _in_fresh_process(sources: Sources, plan: Plan, query: Query) -> Called:
    needed = sources.of(plan.configuration.branches)
    started = perf_counter_ns()
    # Spawned, not forked: a forked process has all that its parent has loaded.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        try:
            called = fresh.submit(first_call, needed, plan, query).result()
        except BrokenProcessPool as problem:
            raise MissingError(
                "a fresh process ended before it answered",
                where=f"cold call of {plan.system}",
                expected="memory for one more process with the branches opened",
                next_command="rankgate time --cold 0",
            ) from problem
        elapsed = (perf_counter_ns() - started) / 1e6
    start = max(0.0, elapsed - called.spans[END_TO_END])
    return replace(called, spans={START: start, **called.spans})
