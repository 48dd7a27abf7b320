"""What recorded runs hold below the depth their branch is read to: it tells the depth missing."""

import math
from collections.abc import Mapping

import polars as pl

from pipeline.collection.order import order_run
from pipeline.params import Params, RecordedBranch
from pipeline.recorded import RecordedRun

COLUMNS = {
    "branch": pl.String(),
    "query_id": pl.String(),
    "evidence_id": pl.String(),
    "rank": pl.Int64(),
}


def beyond_depth(
    recorded: Mapping[str, RecordedRun], documents: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """The first rank of each evidence that a recorded run has only below its branch's depth.

    Args:
        recorded: branch to its run; a branch without one tells nothing.
        documents: DOCUMENTS, which tell the evidence.
        params: each branch's order and depth, and the rule for repeated documents.

    Returns:
        branch, query_id, evidence_id, rank; sorted by the first three.
    """
    frames = [pl.DataFrame(schema=COLUMNS)]
    carried = documents.select("doc_id", "evidence_id")
    for name, run in sorted(recorded.items()):
        branch = params.candidates[name]
        if not isinstance(branch, RecordedBranch):
            continue
        ordered = order_run(
            run,
            order=branch.order,
            higher_is_better=branch.higher_is_better,
            duplicates=params.fusion.duplicates,
            where=f"candidates.{name}, runs/{branch.run}",
        )
        first = ordered.join(carried, on="doc_id").group_by("query_id", "evidence_id")
        ranks = first.agg(pl.col("rank").min()).filter(pl.col("rank") > branch.depth)
        frames.append(ranks.select(pl.lit(name).alias("branch"), *list(COLUMNS)[1:]))
    return pl.concat(frames).sort("branch", "query_id", "evidence_id")


def known_depths(
    candidates: pl.DataFrame, recorded: Mapping[str, RecordedRun], params: Params
) -> dict[str, float]:
    """How deep each branch's lists are known.

    To the depth the branch is read to, or to the greatest length in its recorded run; without end
    where no list reaches that depth, for then every list is whole.

    Args:
        candidates: CANDIDATES.
        recorded: branch to its run.
        params: each branch's depth.
    """
    longest = dict(candidates.group_by("branch").agg(pl.col("rank").max()).rows())
    known = {}
    for name, branch in params.candidates.items():
        whole = _longest(recorded[name]) if name in recorded else longest.get(name, 0)
        known[name] = math.inf if whole < branch.depth else float(max(branch.depth, whole))
    return known


def _longest(run: RecordedRun) -> int:
    lengths = run.results.group_by("query_id").len()["len"].to_list()
    return max(lengths, default=0)
