"""Recorded runs in which a branch looks dead for a part, or that come of several snapshots."""

from collections.abc import Iterator

import polars as pl

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from pipeline.candidates.recorded import recorded_lists
from pipeline.collection import Collection
from pipeline.errors import RankgateError
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
    """A run of several corpora: whatever is older than the corpus served is stale."""
    for name, branch in _branches(params, collection):
        counts = (
            collection.runs[branch.run]
            .queries.drop_nulls("snapshot")
            .group_by("snapshot")
            .agg(queries=pl.len())
            .sort("queries", "snapshot", descending=[True, False])
        )
        if counts.height > 1:
            said = ", ".join(f"{snapshot} ({n} queries)" for snapshot, n in counts.rows())
            text = f"candidates.{name}: its run was answered from {counts.height} snapshots: {said}"
            yield Finding("warning", f"{text}; record it again from one")


def _branches(params: Params, collection: Collection) -> Iterator[tuple[str, RecordedBranch]]:
    for name, branch in sorted(params.candidates.items()):
        if isinstance(branch, RecordedBranch) and branch.run in collection.runs:
            yield name, branch
