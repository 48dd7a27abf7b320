"""Points of the grid that break the declared latency limit, from the times record."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.fusion import Configuration
from pipeline.params import LatencyLimit, Params
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.times import END_TO_END, Timing, parse_times
from pipeline.times.current import latest_run, of_these_branches, search_times

Depths = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TooSlow:
    """What was measured and is over the limit.

    Args:
        searches: (branch, depth) of searches that are over it by themselves.
        works: (method, depths) of fused calls that are over it end to end, where no others of the
            same work are within it: weights and constants change nothing that is fetched.
        configurations: ids of such as lines of earlier versions name without their depths.
    """

    searches: Collection[tuple[str, int]] = field(default_factory=frozenset)
    configurations: Collection[str] = field(default_factory=frozenset)
    works: Collection[tuple[str, Depths]] = field(default_factory=frozenset)

    @property
    def branches(self) -> list[str]:
        """The branches with a search that is over the limit, sorted."""
        return sorted({name for name, _ in self.searches})

    def bars(self, point: Configuration) -> bool:
        """Whether a point cannot be within the limit.

        Branches are asked at the same time, so a point takes at least as long as its slowest
        branch at the depth it asks it for.
        """
        return (
            point.id in self.configurations
            or (point.method, point.depths) in self.works
            or any(one in self.searches for one in point.depths)
        )


def too_slow(
    times: Iterable[Mapping[str, Any]],
    manifests: Mapping[str, Mapping[str, Any]],
    params: Params,
) -> TooSlow:
    """What the record shows to be over the limit, of the branches as they are now.

    Args:
        times: lines of the times record, in its order.
        manifests: each branch's, for its contract digest: times of another index or of other
            documents say nothing, whatever the branch is called.
        params: decision.latency, candidates, production.

    Returns:
        Nothing without a limit. A ratio is one to the production branch's time of the same run of
        `rankgate time`; without a production run no point breaks it by itself.

    Raises:
        RecordError: a line of the record is no timing.
    """
    limit = params.decision.latency
    if limit is None:
        return TooSlow()
    contracts = {name: str(one.get("contract_digest")) for name, one in manifests.items()}
    timings = [
        one
        for one in latest_run(of_these_branches(parse_times(times), contracts))
        if (one.mode, one.callers) == ("warm", limit.callers)
        and len(one.calls_ms) >= calls_needed(limit.percentile)
    ]
    over = [one for one in timings if _over(one, timings, limit, params)]
    within = [one for one in timings if one not in over]
    return TooSlow(
        # A search is timed alone and beside others, which hold it up: the quickest time counts.
        searches=_searches(over, params) - _searches(within, params),
        configurations=frozenset(
            one.configuration
            for one in over
            if one.component == END_TO_END and one.configuration is not None and not one.depths
        ),
        works=_works(over) - _works(within),
    )


def _works(timings: Iterable[Timing]) -> frozenset[tuple[str, Depths]]:
    """What fused calls did: by which method, of which branches to which depths."""
    return frozenset(
        # A configuration's id begins with its method.
        (one.configuration.partition("-")[0], tuple(sorted(one.depths.items())))
        for one in timings
        if one.component == END_TO_END and one.configuration is not None and one.depths
    )


def _searches(timings: Iterable[Timing], params: Params) -> frozenset[tuple[str, int]]:
    own = {name: branch.depth for name, branch in params.candidates.items()}
    return frozenset(
        (name, dict(one.depths).get(name, own[name])) for name, one in search_times(timings, own)
    )


def _over(one: Timing, timings: Sequence[Timing], limit: LatencyLimit, params: Params) -> bool:
    taken = percentile(one.calls_ms, limit.percentile)
    return any(taken > bound for bound in _bounds(one, timings, limit, params))


def _bounds(
    one: Timing, timings: Sequence[Timing], limit: LatencyLimit, params: Params
) -> list[float]:
    bounds = [] if limit.milliseconds is None else [limit.milliseconds]
    if limit.ratio is not None and params.production is not None:
        bounds += [
            limit.ratio * percentile(other.calls_ms, limit.percentile)
            for other in timings
            if (other.system, other.component, other.run)
            == (params.production, END_TO_END, one.run)
        ]
    return bounds
