"""Of all that was ever measured: what still says something of the branches as they are now."""

from collections.abc import Iterable, Mapping

import polars as pl

from pipeline.identity import contract_digest, digest
from pipeline.params import Params
from pipeline.times.components import END_TO_END, search_of
from pipeline.times.record import Timing


def branch_contracts(documents: pl.DataFrame, params: Params) -> dict[str, str]:
    """What each branch is now: times of anything else say nothing of it.

    Returns:
        Branch to contract digest, of every declared branch.
    """
    searched = digest(documents)
    return {name: contract_digest(one, searched) for name, one in params.candidates.items()}


def of_these_branches(timings: Iterable[Timing], contracts: Mapping[str, str]) -> list[Timing]:
    """The timings all of whose branches are what they are now; machines are never matched.

    Args:
        timings: the record, in its order.
        contracts: branch to contract digest, as they are now.
    """
    return [
        one
        for one in timings
        if all(contracts.get(name) == known for name, known in one.contracts.items())
    ]


def latest_run(timings: Iterable[Timing]) -> list[Timing]:
    """For each system, component, mode and number of callers the last measurement only."""
    latest = {
        (one.system, one.configuration, one.component, one.mode, one.callers): one
        for one in timings
    }
    return list(latest.values())


def search_times(timings: Iterable[Timing], depths: Mapping[str, int]) -> list[tuple[str, Timing]]:
    """Searches of single branches, each with the branch's name.

    A search inside a fused call, beside others, is one too. Lines of earlier versions timed
    eligibility and search of a branch together, at its own depth.

    Args:
        timings: of these branches.
        depths: branch to its own depth.

    Returns:
        (branch, timing), in the order of the record.
    """
    found = []
    for one in timings:
        asked = dict(one.depths) or {one.system: depths.get(one.system, 0)}
        names = [name for name in asked if one.component == search_of(name)]
        if not one.depths and one.component == END_TO_END and one.system in depths:
            names = [one.system]
        found += [(name, one) for name in names]
    return found
