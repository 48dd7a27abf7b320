"""Milvus: hybrid search with the reranker `rrf`."""

from collections.abc import Iterator, Mapping

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect, is_even
from pipeline.fusion.dialects.requests import as_json, number
from pipeline.fusion.methods import METHODS, Method

END = 16_384  # k lies below it


def _rrf(_: Configuration) -> Method:
    """Sum of 1 / (k + rank), rank from 1, without weights."""
    return METHODS["rrf"]


def _refusals(configuration: Configuration) -> Iterator[str]:
    if not is_even(configuration):
        yield "weights: its rrf has none, and its weighted ranker fuses arc tangents of scores"
    if (configuration.rank_constant or 0) >= END:
        yield f"rank constant {configuration.rank_constant:g} is not below {END}"


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    search = [
        {
            "data": [f"{kinds[name]} QUERY_FOR_{name}"],
            "annsField": f"VECTOR_FIELD_OF_{name}",
            "limit": depth,
        }
        for name, depth in configuration.depths
    ]
    rerank = {"strategy": "rrf", "params": {"k": number(configuration.rank_constant or 0)}}
    request = {"collectionName": "COLLECTION", "search": search, "rerank": rerank}
    return as_json({**request, "limit": wanted})


MILVUS = Dialect(
    title="Milvus",
    source="milvus-io/milvus: internal/util/function/chain/operator_merge.go, rerank_builder.go",
    methods={"rrf": _rrf},
    refusals=_refusals,
    snippet=_snippet,
)
