"""Weaviate: hybrid search with `rankedFusion` and `relativeScoreFusion`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect, one_window, two_branches
from pipeline.fusion.lists import Reals, Wholes
from pipeline.fusion.methods import METHODS, Method
from pipeline.fusion.rank_based import of_entries

FIXED = 60  # cannot be set; its places start at 0


def _ranked(_: Configuration) -> Method:
    """Sum of weight / (60 + rank - 1), rank from 1."""

    def share(weight: Reals, rank: Wholes, depth: Wholes, rank_constant: float) -> Reals:
        return weight / (FIXED + rank - 1)

    formula = f"sum of w / ({FIXED} + rank - 1)"
    return replace(METHODS["rrf"], formula=formula, contribution=of_entries(share))


def _relative(_: Configuration) -> Method:
    """Sum of weight · (s - min) / (max - min); the weight itself in a constant list."""
    return METHODS["convex_minmax"]


def _refusals(configuration: Configuration) -> Iterator[str]:
    yield from two_branches(configuration)
    yield from one_window(configuration)
    k = configuration.rank_constant
    if k is not None and k not in {FIXED, FIXED - 1}:
        yield f"rank constant {k:g}: its own is fixed (60, counting places from 0, that is 59)"


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    vector = _vector_branch(configuration, kinds)
    alpha = dict(configuration.weights)[vector]
    fusion = "rankedFusion" if configuration.method == "rrf" else "relativeScoreFusion"
    return (
        "{\n  Get {\n    COLLECTION(\n"
        f"      limit: {max(configuration.depths[0][1], wanted)}\n"
        f'      hybrid: {{query: "QUERY", alpha: {alpha:g}, fusionType: {fusion}}}\n'
        "    ) { TEXT_FIELD _additional { id score explainScore } }\n  }\n}"
    )


def _vector_branch(configuration: Configuration, kinds: Mapping[str, str]) -> str:
    """Alpha is the weight of the vector search; of two recorded ones the last by name."""
    dense = [name for name in configuration.branches if kinds[name] == "dense"]
    return (dense or list(configuration.branches))[-1]


WEAVIATE = Dialect(
    title="Weaviate",
    source="weaviate/weaviate: usecases/traverser/hybrid/hybrid_fusion.go",
    methods={"rrf": _ranked, "convex_minmax": _relative},
    refusals=_refusals,
    snippet=_snippet,
    notes=(
        "alpha is the weight of its vector search; the lexical one has the rest",
        "how deep it searches follows from limit; take only as many items as are wanted",
    ),
)
