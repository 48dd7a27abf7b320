"""OpenSearch: search pipelines with `score-ranker-processor` and `normalization-processor`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect, is_even, one_window, whole_constant
from pipeline.fusion.dialects.requests import as_json, lucene_query, number
from pipeline.fusion.lists import Entries, Reals
from pipeline.fusion.methods import METHODS, Method
from pipeline.fusion.score_based import minmax, weighted

LEAST = 0.001  # what the lowest score of a list becomes, instead of 0
MOST_CONSTANT = 10_000


def _rrf(_: Configuration) -> Method:
    """Sum of weight / (rank_constant + rank), rank from 1."""
    return METHODS["rrf"]


def _min_max(_: Configuration) -> Method:
    """Weighted arithmetic mean of min-max scores; a list that lacks the item counts as 0.

    Sum of w · n / sum of w; n is 0.001 where it would be 0, 1 in a constant list.
    """
    return replace(
        METHODS["convex_minmax"],
        formula="sum of w · n / sum of w; n = (s - min) / (max - min), 0.001 where that is 0, "
        "1 in a constant list",
        contribution=weighted(_at_least),
    )


def _at_least(entries: Entries) -> Reals:
    normalised = minmax(entries)
    return np.where(normalised == 0.0, LEAST, normalised)


def _refusals(configuration: Configuration) -> Iterator[str]:
    yield from one_window(configuration)
    yield from whole_constant(configuration, MOST_CONSTANT)


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    depth = configuration.depths[0][1]
    query = {
        "queries": [_query(name, kinds[name], depth) for name in configuration.branches],
        "pagination_depth": depth,
    }
    pipeline = {"phase_results_processors": [_processor(configuration)]}
    search = {"query": {"hybrid": query}, "search_pipeline": pipeline, "size": wanted}
    return as_json(search)


def _processor(configuration: Configuration) -> dict[str, Any]:
    weights = {"weights": [weight for _, weight in configuration.weights]}
    if configuration.method == "rrf":
        combination: dict[str, Any] = {"technique": "rrf"}
        combination["rank_constant"] = number(configuration.rank_constant or 0)
        if not is_even(configuration):
            combination["parameters"] = weights
        return {"score-ranker-processor": {"combination": combination}}
    mean = {"technique": "arithmetic_mean", "parameters": weights}
    min_max = {"technique": "min_max"}
    return {"normalization-processor": {"normalization": min_max, "combination": mean}}


def _query(name: str, kind: str, depth: int) -> dict[str, Any]:
    if kind == "dense":
        vector = {"vector": [f"VECTOR_OF_QUERY_FOR_{name}"], "k": depth}
        return {"knn": {f"VECTOR_FIELD_OF_{name}": vector}}
    return lucene_query(name, kind)


OPENSEARCH = Dialect(
    title="OpenSearch",
    source="opensearch-project/neural-search: RRFNormalizationTechnique, "
    "RRFScoreCombinationTechnique, MinMaxScoreNormalizationTechnique, "
    "ArithmeticMeanScoreCombinationTechnique, ScoreCombiner; score-ranker-processor.md",
    methods={"rrf": _rrf, "convex_minmax": _min_max},
    refusals=_refusals,
    snippet=_snippet,
    notes=(
        "score-ranker-processor needs 2.19 or later",
        "pagination_depth cuts each shard's list, so lists are as deep as stated on one shard only",
    ),
)
