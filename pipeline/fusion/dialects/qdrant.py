"""Qdrant: the query `rrf` over prefetches."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect, is_even, whole_constant
from pipeline.fusion.dialects.requests import as_json
from pipeline.fusion.lists import Reals, Wholes
from pipeline.fusion.methods import METHODS, Method
from pipeline.fusion.rank_based import of_entries


def _rrf(configuration: Configuration) -> Method:
    """Sum of 1 / (rank / w + k - 1), rank from 1.

    Its places start at 0, so its k is one more than ours: with weights of 1 the formulas are the
    same. A weight divides the rank instead of multiplying the share: w / (rank + w · (k - 1)).
    """
    branches = len(configuration.branches)

    def share(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
        mine = weight * branches
        return 1 / (rank / mine + _k(rank_constant) - 1)

    return replace(
        METHODS["rrf"], formula="sum of 1 / (rank / w + k - 1)", contribution=of_entries(share)
    )


def _k(rank_constant: float) -> int:
    return int(rank_constant) + 1


def _refusals(configuration: Configuration) -> Iterator[str]:
    yield from whole_constant(configuration)


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    rrf: dict[str, Any] = {"k": _k(configuration.rank_constant or 0)}
    if not is_even(configuration):
        rrf["weights"] = [w * len(configuration.branches) for _, w in configuration.weights]
    prefetch = [
        {"query": [f"{kinds[name]} VECTOR_OF_QUERY_FOR_{name}"], "using": name, "limit": depth}
        for name, depth in configuration.depths
    ]
    return as_json({"prefetch": prefetch, "query": {"rrf": rrf}, "limit": wanted})


QDRANT = Dialect(
    title="Qdrant",
    source="qdrant/qdrant: lib/segment/src/common/reciprocal_rank_fusion.rs; hybrid-queries.md",
    methods={"rrf": _rrf},
    refusals=_refusals,
    snippet=_snippet,
    notes=(
        "k needs 1.16 or later, before it was 2; weights came later and divide the rank",
        "its k counts places from 0 and is one more than the rank constant",
    ),
)
