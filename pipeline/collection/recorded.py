"""A recorded run and recorded vectors, as they were read."""

from dataclasses import dataclass

import polars as pl


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One system's lists, exactly as the file holds them.

    Args:
        results: table RECORDED_RUN; `position` is the line (TREC) or the place in the list.
        queries: table RECORDED_QUERIES, one row for each query the file speaks of.
    """

    results: pl.DataFrame
    queries: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Vectors:
    """Vectors made elsewhere: of documents and of queries, both table VECTORS."""

    documents: pl.DataFrame
    queries: pl.DataFrame
