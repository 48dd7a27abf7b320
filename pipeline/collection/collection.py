"""A collection in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from pipeline.recorded import RecordedRun, Vectors


@dataclass(frozen=True, slots=True)
class Collection:
    """Documents, queries, judgments and what was recorded of retrievers.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        judgments: table JUDGMENTS, one row for each assessor's opinion, grades mapped.
        runs: recorded runs by name.
        vectors: vectors made elsewhere, by name.
        notes: counts of what was noticed and is no error (repeated lines, dangling ids).
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    judgments: pl.DataFrame
    runs: Mapping[str, RecordedRun] = field(default_factory=dict)
    vectors: Mapping[str, Vectors] = field(default_factory=dict)
    notes: Mapping[str, int] = field(default_factory=dict)

    def noting(self, **counts: int) -> "Collection":
        """The same with further counts; zeros are left out."""
        noticed = {name: count for name, count in counts.items() if count}
        return replace(self, notes={**self.notes, **noticed})
