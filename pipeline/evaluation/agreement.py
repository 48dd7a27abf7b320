"""Where agreement costs: a branch's first place pushed out by what several hold in the middle."""

from collections.abc import Sequence

import polars as pl

from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import SELECTED
from pipeline.tables import AGREEMENT


def agreement(part: Part, lists: Retrieved, params: Params) -> pl.DataFrame:
    """For each branch, how often fusion pushes its first place out of the primary cutoff.

    It counts where something that at least two branches hold, and none holds first, has come to
    stand above it.

    Args:
        part: ranked queries and their judgments.
        lists: the branches' and the selected lists, collapsed.
        params: the branches, the primary cutoff (else the context's depth), rel.

    Returns:
        AGREEMENT; no row for a branch without a list.
    """
    cutoff = parse_measure(params.selection.measure).cutoff or params.context.depth
    ours = lists.places(SELECTED).filter(pl.col("query_id").is_in(list(part.ranked)))
    if ours.is_empty():
        return AGREEMENT.empty()
    places = _branch_places(lists, params.fused_branches).join(
        ours.select("query_id").unique(), on="query_id", how="semi"
    )
    first = places.filter(pl.col("place") == 1)
    middle = places.group_by(PAIR).agg(pl.len().alias("holders"), pl.col("place").min())
    shared = middle.filter((pl.col("holders") > 1) & (pl.col("place") > 1))
    highest = ours.join(shared, on=PAIR).group_by("query_id").agg(pl.col("rank").min().alias("by"))
    pushed = (
        first.join(ours, on=PAIR, how="left")
        .join(highest, on="query_id")
        .filter((pl.col("rank").is_null() | (pl.col("rank") > cutoff)) & (pl.col("by") <= cutoff))
        .join(part.judgments.select(*PAIR, "grade"), on=PAIR, how="left")
    )
    grade, rel = pl.col("grade"), params.collection.rel
    counts = pushed.group_by("branch").agg(
        pl.len().alias("pushed_out"),
        (grade >= rel).sum().alias("relevant"),
        (grade < rel).sum().alias("not_relevant"),
        grade.is_null().sum().alias("unjudged"),
    )
    rows = (
        first.group_by("branch")
        .agg(pl.len().alias("queries"))
        .join(counts, on="branch", how="left")
    )
    return AGREEMENT.check(
        rows.with_columns(pl.lit(part.split).alias("split")).select(
            pl.col(name).fill_null(0) if name not in AGREEMENT.key else name
            for name in AGREEMENT.columns
        )
    )


def _branch_places(lists: Retrieved, branches: Sequence[str]) -> pl.DataFrame:
    return pl.concat(
        lists.places(name).select(
            pl.lit(name).alias("branch"), *PAIR, pl.col("rank").alias("place")
        )
        for name in branches
    )
