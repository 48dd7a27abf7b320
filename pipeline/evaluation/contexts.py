"""What the selected system would hand to a generator."""

import polars as pl

from pipeline.tables import CONTEXTS


def contexts(run: pl.DataFrame, *, depth: int) -> pl.DataFrame:
    """The first `depth` items of each query's list, ids only.

    Args:
        run: the selected system's lists: `query_id, rank, doc_id, evidence_id`.
        depth: how many items the generator is handed.

    Returns:
        The table CONTEXTS.
    """
    return CONTEXTS.check(run.filter(pl.col("rank") <= depth).select(list(CONTEXTS.columns)))
