"""What is served, and whom it is measured on: the same for whatever may befall it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.params import Params
from pipeline.parts import Part


@dataclass(frozen=True, slots=True)
class Served:
    """A corpus, its branches' lists, and what was selected from them.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        splits: SPLITS; under crossfit their folds tell which choice answers a query.
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        selection: selection.json.
        parts: the queries that may be looked at, with their labels; dev first.
        params: the study's parameters.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    splits: pl.DataFrame
    candidates: pl.DataFrame
    candidate_queries: pl.DataFrame
    selection: Mapping[str, Any]
    parts: Sequence[Part]
    params: Params
