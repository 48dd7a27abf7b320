"""What a bare study knows before anything is fused: the stages that ask for no configuration."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline import candidates as candidates_stage
from pipeline import pool as pool_stage
from pipeline import snapshot as snapshot_stage
from pipeline import splits as splits_stage
from pipeline.candidates import BranchResult
from pipeline.collection import Collection
from pipeline.params import DenseBranch, Params, RecordedBranch
from pipeline.pool import Pool
from pipeline.recorded import RecordedRun
from pipeline.snapshot import Snapshot
from pipeline.splits import Side, Splits, split_queries


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a study knows before anything is fused.

    Args:
        snapshot: documents, queries, judgments.
        splits: queries on sides, and each side's judgments.
        branches: each branch's own lists, by name.
        candidates: CANDIDATES, all branches in one frame.
        candidate_queries: CANDIDATE_QUERIES.
        pool: what should be judged, and what is.
    """

    snapshot: Snapshot
    splits: Splits
    branches: Mapping[str, BranchResult]
    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    pool: Pool

    def probes(self) -> pl.DataFrame:
        """BRANCH_PROBES, all branches in one frame."""
        return _stacked({name: branch.probes for name, branch in self.branches.items()})

    def recorded_runs(self, params: Params) -> dict[str, RecordedRun]:
        """Each recorded branch's run, whole."""
        runs = self.snapshot.runs
        return {
            name: runs[branch.run]
            for name, branch in sorted(params.candidates.items())
            if isinstance(branch, RecordedBranch) and branch.run in runs
        }

    def document_vectors(self, params: Params) -> pl.DataFrame | None:
        """VECTORS of the branch that an ablation measures likeness by, where one is declared."""
        declared = params.candidates.get(params.mmr_branch or "")
        if not isinstance(declared, DenseBranch) or declared.vectors is None:
            return None
        known = self.snapshot.vectors.get(declared.vectors)
        return None if known is None else known.documents


def prepare(
    collection: Collection, params: Params, *, sides: Sequence[Side] | None = None
) -> Prepared:
    """Snapshot, splits, every branch's lists, the pool.

    Args:
        collection: what is studied.
        params: all parameters.
        sides: queries on sides; assigned here, by the same rule as `rankgate assign`, if None.
    """
    snapshot = snapshot_stage.of(collection, params)
    documents, queries, judgments = snapshot.documents, snapshot.queries, snapshot.judgments
    given = split_queries(queries, judgments, documents, params) if sides is None else sides
    splits = splits_stage.compute(
        documents=documents, queries=queries, judgments=judgments, sides=given, params=params
    )
    branches = {name: _retrieve(snapshot, name, params) for name in sorted(params.candidates)}
    lists = _stacked({name: branch.candidates for name, branch in branches.items()})
    states = _stacked({name: branch.queries for name, branch in branches.items()})
    pool = pool_stage.compute(
        documents=documents,
        queries=queries,
        judgments=judgments,
        splits=splits.splits,
        candidates=lists,
        candidate_queries=states,
        params=params,
    )
    return Prepared(snapshot, splits, branches, lists, states, pool)


def _retrieve(snapshot: Snapshot, branch: str, params: Params) -> BranchResult:
    declared = params.candidates[branch]
    run = declared.run if isinstance(declared, RecordedBranch) else None
    vectors = declared.vectors if isinstance(declared, DenseBranch) else None
    return candidates_stage.compute(
        documents=snapshot.documents,
        queries=snapshot.queries,
        run=snapshot.runs.get(run) if run else None,
        vectors=snapshot.vectors.get(vectors) if vectors else None,
        branch=branch,
        params=params,
    )


def _stacked(frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    return pl.concat(
        frame.select(pl.lit(name).alias("branch"), pl.all()) for name, frame in frames.items()
    )
