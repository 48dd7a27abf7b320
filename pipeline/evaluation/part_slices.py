"""The slices of one part: those that the collection declares, and those that are derived."""

from dataclasses import replace

import polars as pl

from pipeline.derived_slices import Known, with_derived
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.slices import ALL_QUERIES


def with_derived_slices(
    part: Part,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    candidates: pl.DataFrame,
    params: Params,
) -> Part:
    """The part, its derived slices beside the declared ones.

    Args:
        part: its ranked queries and labels.
        documents: DOCUMENTS.
        queries: QUERIES, of both sides: a slice that one of them declares is not derived.
        candidates: CANDIDATES; those of branches that are fused count.
        params: `evaluation.slices`, the context's depth.
    """
    known = Known(
        queries=part.queries,
        documents=documents,
        relevant=part.relevant(params.collection.rel),
        candidates=candidates.filter(
            pl.col("branch").is_in(list(params.fused_branches))
            & pl.col("query_id").is_in(list(part.ranked))
        ),
        depth=params.context.depth,
        declared=frozenset(queries["slices"].explode().drop_nulls()),
        params=params.evaluation.slices,
    )
    return replace(part, slices=with_derived(part.slices, part.ranked, known))


def slice_members(part: Part) -> pl.DataFrame:
    """The part's rows of SLICE_MEMBERS."""
    inside = part.slices.members().filter(pl.col("slice") != ALL_QUERIES)
    return inside.select(
        pl.lit(part.split).alias("split"),
        "slice",
        "query_id",
        pl.col("slice").is_in(sorted(part.slices.derived)).alias("derived"),
    )
