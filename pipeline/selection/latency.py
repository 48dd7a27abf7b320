"""Branches that break the declared latency limit by themselves, from the times record."""

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.params import Params
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.times import parse_times


def slow_branches(times: Iterable[Mapping[str, Any]], params: Params) -> list[str]:
    """The branches that no configuration within the limit can use.

    Branches run at the same time, so a configuration takes at least as long as its slowest
    branch: one branch over the limit bars every configuration that uses it. The record's last
    warm measurement of that name counts; whether it is still of this branch is for the latency
    gate to say, which knows the documents.

    Args:
        times: lines of the times record, in its order.
        params: decision.latency, candidates, production.

    Returns:
        Names, sorted; empty without a limit. A ratio is one to production's time, and without a
        production run no branch breaks it by itself.

    Raises:
        RecordError: a line of the record is no timing.
    """
    limit = params.decision.latency
    if limit is None:
        return []
    taken = {
        one.system: percentile(one.calls_ms, limit.percentile)
        for one in parse_times(times)
        if one.system in params.candidates
        and one.mode == "warm"
        and len(one.calls_ms) >= calls_needed(limit.percentile)
    }
    bounds = [] if limit.milliseconds is None else [limit.milliseconds]
    if limit.ratio is not None and params.production in taken:
        bounds.append(limit.ratio * taken[params.production])
    return sorted(name for name, cost in taken.items() if any(cost > bound for bound in bounds))
