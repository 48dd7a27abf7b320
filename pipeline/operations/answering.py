"""What a system answers when some of its branches are out for some of its queries."""

from collections.abc import Iterable, Iterator, Sequence

import polars as pl

from pipeline.fusion import Configuration, collapse
from pipeline.operations.shares import Share
from pipeline.params import FusionParams
from pipeline.serving import surviving
from pipeline.systems import rank_system

NOTHING = pl.DataFrame(
    schema={
        "query_id": pl.String,
        "rank": pl.Int64,
        "doc_id": pl.String,
        "evidence_id": pl.String,
        "score": pl.Float64,
    }
)


def answer(
    shares: Sequence[Share], lists: pl.DataFrame, out: pl.DataFrame, fusion: FusionParams
) -> pl.DataFrame:
    """A system's lists, query by query from the branches that are left for it.

    Weights of the remaining branches are scaled up to 1. One branch left keeps its own order;
    none left answers nothing.

    Args:
        shares: what answers which queries.
        lists: CANDIDATES, as they are used.
        out: branch, query_id: the calls that gave nothing to use.
        fusion: the fixed part of the contract.

    Returns:
        query_id, rank, doc_id, evidence_id, score; sorted by query_id, rank.
    """
    runs = [NOTHING]
    for left, queries in left_for(shares, out):
        if left is not None:
            asked = lists.join(queries, on="query_id", how="semi")
            runs.append(rank_system(left, asked, fusion))
    return pl.concat(runs).sort("query_id", "rank")


def left_for(
    shares: Sequence[Share], out: pl.DataFrame
) -> Iterator[tuple[Configuration | None, pl.DataFrame]]:
    """What is left of a system, and for which queries (`query_id`); None where nothing is.

    Args:
        shares: what answers which queries.
        out: branch, query_id: the calls that gave nothing to use.
    """
    for one in shares:
        for gone, queries in _alike(one, out):
            names = [name for name in one.configuration.branches if name not in gone]
            yield surviving(one.configuration, names), queries


def out_of_order(
    shares: Sequence[Share], lists: pl.DataFrame, run: pl.DataFrame, fusion: FusionParams
) -> tuple[int, list[str]]:
    """Queries answered from one branch's list in another order than its own; there must be none.

    Args:
        shares: what answered which queries.
        lists: CANDIDATES, as they were used.
        run: what was answered.
        fusion: the fixed part of the contract.

    Returns:
        How many queries had a list of one branch only, and which of them are out of order.
    """
    checked, wrong = 0, set[str]()
    for one in shares:
        alone = _alone(one, lists)
        checked += alone["query_id"].n_unique()
        wrong |= set(_differing(one, alone, run, fusion))
    return checked, sorted(wrong)


def unanswered(shares: Sequence[Share], lists: pl.DataFrame, run: pl.DataFrame) -> list[str]:
    """Queries without an answer that a list of their configuration was used for, sorted."""
    asked = [
        lists.filter(pl.col("branch").is_in(one.configuration.branches))
        .select("query_id")
        .unique()
        .join(one.queries, on="query_id", how="semi")
        for one in shares
    ]
    listed = pl.concat([NOTHING.select("query_id"), *asked])
    return sorted(listed.join(run, on="query_id", how="anti")["query_id"].unique())


def _alike(one: Share, out: pl.DataFrame) -> Iterator[tuple[tuple[str, ...], pl.DataFrame]]:
    """The queries of a share by the branches that are out for them."""
    gone = (
        out.filter(pl.col("branch").is_in(one.configuration.branches))
        .join(one.queries, on="query_id", how="semi")
        .group_by("query_id")
        .agg(gone=pl.col("branch").sort())
    )
    whole = one.queries.join(gone, on="query_id", how="anti")
    if whole.height:
        yield (), whole
    for names in sorted({tuple(names) for names in gone["gone"].to_list()}):
        yield names, gone.filter(pl.col("gone") == list(names)).select("query_id")


def _alone(one: Share, lists: pl.DataFrame) -> pl.DataFrame:
    """The lists of queries for which one of several branches has any."""
    if len(one.configuration.branches) < 2:
        return lists.clear()
    used = lists.filter(pl.col("branch").is_in(one.configuration.branches)).join(
        one.queries, on="query_id", how="semi"
    )
    single = (
        used.group_by("query_id").agg(pl.col("branch").n_unique()).filter(pl.col("branch") == 1)
    )
    return used.join(single, on="query_id", how="semi")


def _differing(
    one: Share, alone: pl.DataFrame, run: pl.DataFrame, fusion: FusionParams
) -> Iterable[str]:
    own = collapse(
        alone,
        level=fusion.level,
        depth=dict(one.configuration.depths),
        duplicates=fusion.duplicates,
    ).filter(pl.col("rank") <= fusion.output_depth)
    answered = run.join(alone, on="query_id", how="semi")
    both = own.select("query_id", "rank", "doc_id").join(
        answered.select("query_id", "rank", answered="doc_id"),
        on=["query_id", "rank"],
        how="full",
        coalesce=True,
    )
    return both.filter(pl.col("doc_id").ne_missing(pl.col("answered")))["query_id"].unique()
