"""What the selected system would hand to a generator."""

import polars as pl

from pipeline.context import context_documents
from pipeline.fusion import Configuration, fuse
from pipeline.params import Params
from pipeline.tables import CONTEXTS


def contexts(
    choice: Configuration | None, candidates: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """The documents that stand for the first `context.depth` items of each query, ids only.

    Args:
        choice: the selected configuration; without one nothing is handed over.
        candidates: CANDIDATES.
        params: `fusion` (its `representatives` documents stand for an item) and `context`.

    Returns:
        The table CONTEXTS; rank counts the documents handed over, from 1.
    """
    if choice is None:
        return CONTEXTS.empty()
    fused = fuse(candidates, choice.contract(params.fusion)).sort("query_id", "rank")
    handed = context_documents(
        fused, depth=params.context.depth, representatives=params.fusion.representatives
    )
    return CONTEXTS.check(handed)
