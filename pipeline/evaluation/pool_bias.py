"""Would the answer be the same had one branch never been pooled?

A branch that helped to make the pool is favoured by it: its own finds were judged, those of a
system that came later were not. So each branch's own contribution is taken out in turn, from the
ideal lists too (J. Zobel, How reliable are the results of large-scale information retrieval
experiments?, SIGIR 1998).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import polars as pl

from pipeline.evaluation.differences import compare_queries, primary_differences
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.query_states import query_states, ranked_queries
from pipeline.slices import ALL_QUERIES
from pipeline.systems import SELECTED
from pipeline.tables import POOL_BIAS

PAIR = ["query_id", "evidence_id"]


def pool_bias(
    runs: pl.DataFrame, rivals: Iterable[str], part: Part, pool: pl.DataFrame, params: Params
) -> pl.DataFrame:
    """The primary comparisons, with all judgments and without each branch's own.

    Args:
        runs: RUNS of this part, with a system `selected`.
        rivals: the branches, and the production run: whom the selected one is compared with, and
            who is left out in turn.
        part: whose queries, judgments, groups and level.
        pool: POOL.
        params: pool depth, primary measure, regime, resamples, seed.

    Returns:
        POOL_BIAS. A query without relevant evidence left leaves the comparison, as everywhere.
        Empty under another regime than pooled, and without ranked queries.
    """
    names = sorted(rivals)
    measured = part.ranked and SELECTED in runs["system"].unique().to_list()
    if params.collection.regime != "pooled" or not measured:
        return POOL_BIAS.empty()
    own = contributed(runs, names, pool, params.pool.depth)
    rows = [
        row
        for branch in ("", *names)
        for row in _rows(runs, names, part, own.filter(pl.col("system") == branch), branch, params)
    ]
    return POOL_BIAS.check(pl.DataFrame(rows, schema=dict(POOL_BIAS.columns), orient="row"))


def contributed(
    runs: pl.DataFrame, branches: Sequence[str], pool: pl.DataFrame, depth: int
) -> pl.DataFrame:
    """The pooled pairs that one branch alone contributed.

    A branch contributes what it shows down to the pool's depth. What none of them shows so high
    came into the pool by fusion: whoever returned it at all contributed it.

    Args:
        runs: RUNS of the branches.
        branches: their names.
        pool: POOL.
        depth: the pool's.

    Returns:
        system, query_id, evidence_id; sorted.
    """
    returned = (
        runs.filter(pl.col("system").is_in(list(branches)))
        .join(pool.select(PAIR), on=PAIR, how="semi")
        .group_by("system", *PAIR)
        .agg(pl.col("rank").min())
    )
    shown = returned.filter(pl.col("rank") <= depth)
    by_fusion = returned.join(shown, on=PAIR, how="anti")
    every = pl.concat([shown, by_fusion])
    alone = every.filter(pl.len().over(PAIR) == 1)
    return alone.select("system", *PAIR).sort("system", *PAIR)


def _rows(
    runs: pl.DataFrame,
    rivals: Sequence[str],
    part: Part,
    own: pl.DataFrame,
    branch: str,
    params: Params,
) -> Iterator[dict[str, object]]:
    judged = part.judgments.filter(pl.col("status") == "judged")
    dropped = judged.join(own, on=PAIR, how="semi")
    left = _without(part, dropped, params)
    ours = runs.filter(pl.col("system") == SELECTED)
    for rival in rivals:
        theirs = runs.filter(pl.col("system") == rival)
        differences = primary_differences(ours, theirs, left, params)
        one = compare_queries(differences, ALL_QUERIES, part=left, params=params)
        yield {
            "without": branch,
            "baseline": rival,
            "split": part.split,
            "measure": params.selection.measure,
            "dropped": dropped.height,
            "dropped_relevant": int((dropped["grade"] >= params.collection.rel).sum()),
            "delta": one.delta,
            "low": one.low,
            "high": one.high,
            "queries": one.queries,
            "groups": one.groups,
            "nonzero_groups": one.nonzero_groups,
        }


def _without(part: Part, dropped: pl.DataFrame, params: Params) -> Part:
    """The part as if these judgments had never been made."""
    judgments = part.judgments.join(dropped, on=PAIR, how="anti").sort(PAIR)
    states = query_states(part.queries, judgments, rel=params.collection.rel)
    ranked = tuple(ranked_queries(states))
    return replace(part, judgments=judgments, states=states, ranked=ranked)
