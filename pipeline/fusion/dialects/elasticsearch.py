"""Elasticsearch: the retrievers `rrf` and `linear`."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect, is_even, one_window, whole_constant
from pipeline.fusion.dialects.requests import WHOLE, as_json, lucene_query, number
from pipeline.fusion.methods import METHODS, Method


def _rrf(_: Configuration) -> Method:
    """Sum of weight / (rank_constant + rank), rank from 1; weights since 9.2."""
    return METHODS["rrf"]


def _linear(_: Configuration) -> Method:
    """Sum of weight · (s - min) / (max - min); 1 in a constant list."""
    return METHODS["convex_minmax"]


def _refusals(configuration: Configuration) -> Iterator[str]:
    yield from one_window(configuration)
    yield from whole_constant(configuration)


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    window = configuration.depths[0][1]
    bare = configuration.method == "rrf" and is_even(configuration)
    retrievers = [
        _retriever(name, kinds[name], window)
        if bare
        else _weighted(_retriever(name, kinds[name], window), weight, configuration.method)
        for name, weight in configuration.weights
    ]
    fused: dict[str, Any] = {"retrievers": retrievers, "rank_window_size": max(window, wanted)}
    if configuration.rank_constant is not None:
        fused["rank_constant"] = number(configuration.rank_constant)
    name = "rrf" if configuration.method == "rrf" else "linear"
    return as_json({"retriever": {name: fused}, "size": wanted})


def _weighted(retriever: dict[str, Any], weight: float, method: str) -> dict[str, Any]:
    whole: dict[str, Any] = {"retriever": retriever, "weight": weight}
    return whole if method == "rrf" else {**whole, "normalizer": "minmax"}


def _retriever(name: str, kind: str, window: int) -> dict[str, Any]:
    if kind == "dense":
        return {
            "knn": {
                "field": f"VECTOR_FIELD_OF_{name}",
                "query_vector": [f"VECTOR_OF_QUERY_FOR_{name}"],
                "k": window,
                "num_candidates": WHOLE * window,
            }
        }
    return {"standard": {"query": lucene_query(name, kind)}}


ELASTICSEARCH = Dialect(
    title="Elasticsearch",
    source="elastic/elasticsearch: rrf-retriever.md, linear-retriever.md, MinMaxScoreNormalizer",
    methods={"rrf": _rrf, "convex_minmax": _linear},
    refusals=_refusals,
    snippet=_snippet,
    notes=(
        "weights in rrf need 9.2 or later",
        "linear makes a list of equal scores 1 each; early versions left such scores as they were",
        "its window cuts every list, and must not be smaller than the number of items wanted",
    ),
)
