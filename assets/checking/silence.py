"""Recorded runs in which a branch looks dead for a part, or that come of several snapshots."""

from collections.abc import Iterator

import polars as pl

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from pipeline.candidates.recorded import recorded_lists
from pipeline.collection import Collection, recorded_snapshots
from pipeline.errors import RankgateError
from pipeline.index_states import stale_states
from pipeline.params import Params, RecordedBranch
from pipeline.silent import silences


def silence_findings(params: Params, inputs: Inputs) -> Iterator[Finding]:
    """What no run says of itself; compared are the recorded branches with each other.

    Args:
        params: which branches are recorded.
        inputs: the collection, where it could be read.
    """
    if inputs.collection is None:
        return
    yield from _snapshots(params, inputs.collection)
    lists, states = _recorded(params, inputs.collection)
    if lists:
        for one in silences(pl.concat(lists), pl.concat(states), params):
            yield Finding("warning", f"silent degradation: {one.text}")


def _recorded(
    params: Params, collection: Collection
) -> tuple[list[pl.DataFrame], list[pl.DataFrame]]:
    lists, states = [], []
    for name, branch in _branches(params, collection):
        try:
            found, said = recorded_lists(
                branch,
                collection.runs[branch.run],
                documents=collection.documents,
                queries=collection.queries,
                duplicates=params.fusion.duplicates,
                name=name,
            )
        except RankgateError:
            continue  # a list that breaks its rules is told where it is read
        lists.append(found.select(pl.lit(name).alias("branch"), pl.all()))
        states.append(said.select(pl.lit(name).alias("branch"), pl.all()))
    return lists, states


def _snapshots(params: Params, collection: Collection) -> Iterator[Finding]:
    runs = {name: collection.runs[branch.run] for name, branch in _branches(params, collection)}
    for one in stale_states(recorded_snapshots(runs), collection.documents, params):
        yield Finding("warning", f"stale index: {one.text}; record again from one state of it")


def _branches(params: Params, collection: Collection) -> Iterator[tuple[str, RecordedBranch]]:
    for name, branch in sorted(params.candidates.items()):
        if isinstance(branch, RecordedBranch) and branch.run in collection.runs:
            yield name, branch
