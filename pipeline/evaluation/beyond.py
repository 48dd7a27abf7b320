"""What recorded runs hold below the depth their branch is read to: it tells the depth missing."""

from collections.abc import Mapping

import polars as pl

from pipeline.collection.order import order_run
from pipeline.collection.recorded import RecordedRun
from pipeline.params import Params, RecordedBranch

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
