"""The whole measurement: what `rankgate time` appends to the record."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import polars as pl

from pipeline.cache import Cache
from pipeline.errors import ParameterError
from pipeline.identity import digest_json
from pipeline.params import Params
from pipeline.recorded import Vectors
from pipeline.stopwatch.bench import Sources, askable, open_bench, timeable_branches
from pipeline.stopwatch.call import Called
from pipeline.stopwatch.cold import cold_calls
from pipeline.stopwatch.failures import refuse_failures
from pipeline.stopwatch.leaks import refuse_leaks
from pipeline.stopwatch.plans import Plan, cold_plans, cut_plans, served_plans
from pipeline.stopwatch.warm import Progress, warm_calls, warm_steps
from pipeline.times.components import END_TO_END, place_of
from pipeline.times.current import branch_contracts
from pipeline.times.machine import describe_machine, package_versions
from pipeline.times.record import Mode, Timing
from pipeline.times.work import Work


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is measured.

    Args:
        calls: warm calls of each system by one caller.
        loaded: warm calls of each system by several callers, and at each depth.
        callers: how many ask at once; 1 is always measured.
        cold: fresh processes for each system; 0 leaves the cold calls out.
        moments: at how many moments several callers ask at the least: calls of one moment wait
            for each other, and bounds need moments to compare.
    """

    calls: int = 1000
    loaded: int = 200
    callers: tuple[int, ...] = (1, 4, 16)
    cold: int = 20
    moments: int = 30

    def __post_init__(self) -> None:
        for name in ("calls", "loaded"):
            if getattr(self, name) < 1:
                raise ParameterError(
                    "too few calls", where=name, found=getattr(self, name), expected="1 or more"
                )


@dataclass(frozen=True, slots=True)
class _Block:
    """Calls of some systems, taken in turns."""

    mode: Mode
    callers: int
    plans: Sequence[Plan]
    calls: Sequence[Sequence[Called]]


def measure(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    vectors: Mapping[str, Vectors],
    selection: Mapping[str, Any],
    params: Params,
    measured_at: str,
    amount: Amount | None = None,
    cache: Cache | None = None,
    progress: Progress = lambda _: None,
) -> list[Timing]:
    """Times every branch served alone, and the selected configuration, whole and at each depth.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES; they are asked in turn, from the first again where they are fewer.
        vectors: branch to its vectors, for `precomputed` ones.
        selection: selection.json; the fusion is timed where all its branches have engines.
        params: the study's parameters.
        measured_at: ISO 8601, written as it is.
        amount: how much is measured.
        cache: where indexes and embeddings may be kept; None keeps nothing.
        progress: told how many of `steps` are done.

    Returns:
        A timing for each system, mode, number of callers and component: warm before cold.

    Raises:
        ParameterError: every branch is recorded: their times are their own service's.
        InputError: no query can be asked of every branch.
        ContractError: a branch listed what its query may not see, or failed.
        MissingError: as `open_branch`; a fresh process died.
    """
    amount = amount or Amount()
    names = timeable_branches(params)
    sources = Sources(documents, vectors, params, cache)
    bench = open_bench(sources, names)
    asked = askable(bench, queries)
    plans = _plans(selection, params, names)
    blocks: list[_Block] = []
    for callers, (those, calls) in _warm(plans, amount):
        made = warm_calls(bench, those, asked, calls=calls, callers=callers, progress=progress)
        refuse_failures(chain(*made), callers=callers)
        refuse_leaks(chain(*made), documents, queries, callers=callers)
        blocks.append(_Block("warm", callers, those, made))
    if amount.cold:
        made = cold_calls(sources, plans.cold, asked, processes=amount.cold, progress=progress)
        refuse_failures(chain(*made), callers=1)
        refuse_leaks(chain(*made), documents, queries, callers=1)
        blocks.append(_Block("cold", 1, plans.cold, made))
    return _timings(blocks, branch_contracts(bench.documents, params), measured_at)


def steps(selection: Mapping[str, Any], params: Params, amount: Amount) -> int:
    """How many calls and processes `measure` reports as progress.

    Raises:
        ParameterError: every branch is recorded.
    """
    plans = _plans(selection, params, timeable_branches(params))
    warm = sum(
        warm_steps(len(those), calls, callers) for callers, (those, calls) in _warm(plans, amount)
    )
    return warm + amount.cold * len(plans.cold)


@dataclass(frozen=True, slots=True)
class _Plans:
    served: Sequence[Plan]
    cut: Sequence[Plan]
    cold: Sequence[Plan]


def _plans(selection: Mapping[str, Any], params: Params, names: Sequence[str]) -> _Plans:
    served = served_plans(selection, params, names)
    return _Plans(
        served=served,
        cut=cut_plans(selection, params, names),
        cold=cold_plans(served, selection, params),
    )


def _warm(plans: _Plans, amount: Amount) -> Iterator[tuple[int, tuple[Sequence[Plan], int]]]:
    """Callers, and the systems that so many ask so often."""
    for callers in amount.callers:
        loaded = max(amount.loaded, amount.moments * callers)
        yield callers, (plans.served, amount.calls if callers == 1 else loaded)
    if plans.cut:
        yield 1, (plans.cut, amount.loaded)


def _timings(
    blocks: Sequence[_Block], contracts: Mapping[str, str], measured_at: str
) -> list[Timing]:
    machine, versions = describe_machine(), package_versions()
    spans = [
        (block, plan, component, calls)
        for block in blocks
        for plan, calls in zip(block.plans, block.calls, strict=True)
        for component in sorted(calls[0].spans, key=place_of)
    ]
    measured = [
        tuple(round(one.spans[component], 4) for one in calls) for _, _, component, calls in spans
    ]
    session = digest_json([measured_at, measured])[:16]
    return [
        Timing(
            system=plan.system,
            mode=block.mode,
            calls_ms=milliseconds,
            contracts={name: contracts[name] for name in plan.configuration.branches},
            configuration=plan.id,
            machine=machine,
            versions=versions,
            measured_at=measured_at,
            component=component,
            callers=block.callers,
            depths=dict(plan.configuration.depths),
            session=session,
            work=_total(calls) if component == END_TO_END else None,
        )
        for (block, plan, component, calls), milliseconds in zip(spans, measured, strict=True)
    ]


def _total(calls: Sequence[Called]) -> Work:
    return sum((one.work for one in calls), start=Work())
