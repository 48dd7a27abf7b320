"""What is answered from the replies: fused by the contract, and marked where it is in part."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from time import perf_counter_ns

import polars as pl

from pipeline.fusion import Configuration
from pipeline.fusion.frames import SCHEMA, contract_lists, fuse_lists
from pipeline.params import FusionParams
from pipeline.serving.asking import Reply
from pipeline.serving.states import PARTIAL, USED, Status


@dataclass(frozen=True, slots=True)
class Served:
    """One answer.

    Args:
        run: as `fuse`; no rows where nothing was found.
        partial: whether a branch gave less than it has.
        states: branch to the state of its reply.
        used: the branches whose lists were fused, sorted.
        spans: milliseconds of `collapse` (check, cut, collapse, renumber) and of `fusion`.
    """

    run: pl.DataFrame
    partial: bool
    states: Mapping[str, Status]
    used: tuple[str, ...]
    spans: Mapping[str, float] = field(default_factory=dict, compare=False)


def serve(
    replies: Mapping[str, Reply], configuration: Configuration, fusion: FusionParams
) -> Served:
    """Fuses what came, as the contract says.

    Weights of the branches that came are scaled up to 1; one branch left keeps its own order;
    none left answers nothing. Nothing is ever put in a missing branch's place: a fallback could
    only widen what is shown.

    Args:
        replies: branch to its reply, at least of the configuration's branches.
        configuration: the frozen configuration.
        fusion: the fixed part of the contract.
    """
    states = {name: replies[name].status for name in configuration.branches}
    used = tuple(name for name in configuration.branches if _usable(replies[name]))
    run, spans = _fused(replies, used, configuration, fusion)
    partial = any(status in PARTIAL for status in states.values())
    return Served(run=run, partial=partial, states=states, used=used, spans=spans)


def surviving(configuration: Configuration, left: Collection[str]) -> Configuration | None:
    """The configuration over the branches that are left; None where none is.

    Args:
        configuration: the whole one.
        left: names; others than its branches are ignored.
    """
    names = [name for name in configuration.branches if name in left]
    if not names:
        return None
    if len(names) == 1:
        # Whatever the method makes of scores, the branch's own order is the one to keep.
        depths = {names[0]: dict(configuration.depths)[names[0]]}
        return Configuration.of("branch", weights={names[0]: 1.0}, depths=depths)
    for name in set(configuration.branches) - set(names):
        configuration = configuration.without(name)
    return configuration


def _usable(reply: Reply) -> bool:
    return reply.status in USED and reply.rows is not None and not reply.rows.is_empty()


def _fused(
    replies: Mapping[str, Reply],
    used: Collection[str],
    configuration: Configuration,
    fusion: FusionParams,
) -> tuple[pl.DataFrame, dict[str, float]]:
    left = surviving(configuration, _speaking(replies, configuration))
    if left is None or not used:
        return pl.DataFrame(schema=SCHEMA), {"collapse": 0.0, "fusion": 0.0}
    contract = left.contract(fusion)
    started = perf_counter_ns()
    lists = contract_lists(_stacked(replies, used), contract)
    collapsed = perf_counter_ns()
    run = fuse_lists(lists, contract)
    ended = perf_counter_ns()
    return run, {"collapse": (collapsed - started) / 1e6, "fusion": (ended - collapsed) / 1e6}


def _stacked(replies: Mapping[str, Reply], used: Collection[str]) -> pl.DataFrame:
    return pl.concat(
        rows.select(pl.lit(name).alias("branch"), pl.all())
        for name in used
        if (rows := replies[name].rows) is not None
    )


def _speaking(replies: Mapping[str, Reply], configuration: Configuration) -> list[str]:
    # A branch that has nothing to say is not out: its weight stays, as offline.
    return [name for name in configuration.branches if replies[name].status not in _OUT]


_OUT = PARTIAL - USED
