"""Every declared fault, tried on what the study's branches returned."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import polars as pl

from pipeline.acceptance import Accepted, Known, Replies, accept
from pipeline.acceptance.replies import LIST
from pipeline.faults import INJECTED, inject
from pipeline.params import Params
from pipeline.serving.states import PARTIAL, USED
from pipeline.tables import NO_FAULT

OUT = sorted(PARTIAL - USED)


@dataclass(frozen=True, slots=True)
class Struck:
    """What is used of the branches' replies under a fault.

    Args:
        fault: its name, and whom it befell: `slow:bm25`, `slow:bm25+dense`; `none`.
        branches: whom it befell.
        lists: CANDIDATES, as they are used.
        states: branch, query_id, status, mark; of all calls.
        spoiled: CANDIDATES, as the struck calls gave them before they were looked at.
        changed: branch, query_id: the calls whose list is another than without the fault.
        struck: branch, query_id: the calls that the fault befell.
    """

    fault: str
    branches: tuple[str, ...]
    lists: pl.DataFrame
    states: pl.DataFrame
    spoiled: pl.DataFrame
    changed: pl.DataFrame
    struck: pl.DataFrame

    @property
    def out(self) -> pl.DataFrame:
        """branch, query_id: the calls that gave nothing to use."""
        gone = self.states.filter(pl.col("status").is_in(OUT)).select(LIST)
        return gone.join(self.lists, on=LIST, how="anti")


def unharmed(replies: Replies) -> Struck:
    """The study's lists as they are: what was recorded is not held against anything here."""
    states = replies.states.select(*LIST, "status", mark=pl.lit(None, pl.String()))
    none = states.select(LIST).clear()
    return Struck(NO_FAULT, (), replies.lists, states, replies.lists.clear(), none, none)


def strike_all(
    replies: Replies, branches: tuple[str, ...], known: Known, params: Params
) -> Iterator[Struck]:
    """Every declared fault on each branch, then on each pair of branches where that is asked.

    Args:
        replies: what the branches returned.
        branches: those that any system uses.
        known: what the service knows.
        params: operations.faults, operations.pairs, seed.
    """
    pairs = list(combinations(branches, 2)) if params.operations.pairs else []
    for name in params.operations.faults:
        single = {branch: _spoiled(name, branch, replies, known, params) for branch in branches}
        for names in [*((branch,) for branch in branches), *pairs]:
            yield _struck(name, {branch: single[branch] for branch in names}, replies)


@dataclass(frozen=True, slots=True)
class _Spoiled:
    replies: Replies
    accepted: Accepted


def _spoiled(name: str, branch: str, replies: Replies, known: Known, params: Params) -> _Spoiled:
    given = inject(name, INJECTED[name], branch, replies, known, seed=params.seed)
    return _Spoiled(given, accept(given, known))


def _struck(name: str, spoiled: Mapping[str, _Spoiled], replies: Replies) -> Struck:
    said = pl.concat([one.accepted.states for one in spoiled.values()])
    used = pl.concat([one.accepted.lists for one in spoiled.values()])
    calls = said.select(LIST)
    untouched = replies.states.join(calls, on=LIST, how="anti", maintain_order="left")
    others = replies.lists.join(calls, on=LIST, how="anti", maintain_order="left")
    return Struck(
        fault=f"{name}:{'+'.join(spoiled)}",
        branches=tuple(spoiled),
        lists=pl.concat([others, used]).sort(*LIST, "rank"),
        states=pl.concat([unharmed(Replies(others, untouched)).states, said]).sort(LIST),
        spoiled=pl.concat([one.replies.lists for one in spoiled.values()]),
        changed=_changed(replies.lists, used, calls),
        struck=calls,
    )


def _changed(before: pl.DataFrame, after: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """The calls whose list is not the same to the last place."""
    was = before.join(calls, on=LIST, how="semi").select(*LIST, "rank", "doc_id")
    same = was.join(after.select(*LIST, "rank", "doc_id"), on=[*LIST, "rank", "doc_id"])
    counts = [frame.group_by(LIST).agg(n=pl.len()) for frame in (was, after, same)]
    both = (
        calls.join(counts[0], on=LIST, how="left")
        .join(counts[1], on=LIST, how="left", suffix="_after")
        .join(counts[2], on=LIST, how="left", suffix="_same")
        .fill_null(0)
    )
    differs = (pl.col("n") != pl.col("n_same")) | (pl.col("n_after") != pl.col("n_same"))
    return both.filter(differs).select(LIST).sort(LIST)
