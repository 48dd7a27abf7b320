"""Which stage lost each piece of wanted evidence: no weight promotes what was never fetched."""

from collections.abc import Mapping, Sequence

import polars as pl

from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import RERANKED, SELECTED
from pipeline.tables import DIAGNOSIS

_FACTS = ("branch", "depth", "depth_needed", "fused_rank", "final_rank", "against_rank")


def diagnose(
    wanted: pl.DataFrame,
    traces: pl.DataFrame,
    per_query: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    *,
    rivals: Sequence[str],
) -> pl.DataFrame:
    """Each miss and each loss, with the stage that lost it.

    A miss: wanted evidence that is not among the first `context.depth` items. A loss: on a query
    where a rival has the better primary value, evidence with a grade above 0 that the rival ranks
    within the primary cutoff, and higher. `reranked` is held against `selected`, too.

    Args:
        wanted: as `wanted_evidence` gives it.
        traces: TRACES of this part.
        per_query: PER_QUERY of this part.
        part: its judgments.
        lists: what was retrieved, fused, reranked.
        params: context depth, primary measure, regime.
        rivals: what the selected configuration must beat.

    Returns:
        DIAGNOSIS.
    """
    if traces.is_empty():
        return DIAGNOSIS.empty()
    facts = _facts(wanted, traces, lists, params)
    found = [_misses(facts, lists, part, params, system) for system in _systems(params)]
    against = [(SELECTED, rival) for rival in rivals]
    against += [(RERANKED, SELECTED)] if RERANKED in _systems(params) else []
    for system, rival in against:
        found.append(_losses(facts, per_query, part, lists, params, pair=(system, rival)))
    rows = pl.concat(found, how="diagonal").with_columns(pl.lit(part.split).alias("split"))
    return DIAGNOSIS.check(rows.select(list(DIAGNOSIS.columns)))


def _systems(params: Params) -> tuple[str, ...]:
    return (SELECTED,) if params.evaluation.rerank is None else (SELECTED, RERANKED)


def _facts(
    wanted: pl.DataFrame, traces: pl.DataFrame, lists: Retrieved, params: Params
) -> pl.DataFrame:
    """One row for each wanted evidence: what its traces come to."""
    kept = {
        stage: _of(traces, stage).select(*PAIR, pl.col("kept").alias(stage))
        for stage in ("corpus", "filter", "collapse")
    }
    ranks = {
        name: _of(traces, stage).select(*PAIR, pl.col("rank").alias(name))
        for stage, name in (("fusion", "fused_rank"), ("rerank", "reranked_rank"))
    }
    facts = wanted
    for frame in (*kept.values(), *ranks.values(), _best_branch(traces), _alone(traces, lists)):
        facts = facts.join(frame, on=PAIR, how="left")
    filtered = _all_filtered(lists)
    return facts.with_columns(
        pl.col("collapse").fill_null(True),
        pl.col("filter") & ~pl.col("query_id").is_in(filtered),
    )


def _of(traces: pl.DataFrame, stage: str) -> pl.DataFrame:
    return traces.filter(pl.col("stage") == stage)


def _best_branch(traces: pl.DataFrame) -> pl.DataFrame:
    """The branch that would have found it with the least depth, and whether any branch did."""
    rows = _of(traces, "candidates").sort(*PAIR, "rank", "branch", nulls_last=True)
    first = pl.col("rank").is_not_null().first()
    return rows.group_by(PAIR, maintain_order=True).agg(
        pl.when(first).then(pl.col("branch").first()).alias("branch"),
        pl.when(first).then(pl.col("depth").first()).alias("depth"),
        pl.col("rank").first().alias("depth_needed"),
        pl.col("kept").any().alias("candidates"),
    )


def _alone(traces: pl.DataFrame, lists: Retrieved) -> pl.DataFrame:
    """The best rank that any of the branches that found it gives it by itself, collapsed."""
    found = _of(traces, "candidates").filter(pl.col("kept")).select(*PAIR, "branch")
    ranked = [
        lists.places(branch).with_columns(pl.lit(branch).alias("branch"))
        for branch in found["branch"].unique().sort()
    ]
    if not ranked:
        return found.select(*PAIR, pl.lit(None, dtype=pl.Int64).alias("alone_rank")).clear()
    joined = found.join(pl.concat(ranked), on=[*PAIR, "branch"])
    return joined.group_by(PAIR).agg(pl.col("rank").min().alias("alone_rank"))


def _all_filtered(lists: Retrieved) -> list[str]:
    """Queries for which the filter left every fused branch nothing to search."""
    states = lists.states.join(lists.cuts(), on=["query_id", "branch"], how="semi")
    emptied = states.group_by("query_id").agg((pl.col("status") == "filtered").all())
    return emptied.filter(pl.col("status"))["query_id"].sort().to_list()


def _misses(
    facts: pl.DataFrame, lists: Retrieved, part: Part, params: Params, system: str
) -> pl.DataFrame:
    context = params.context.depth
    final = "fused_rank" if system == SELECTED else "reranked_rank"
    missing = facts.filter(pl.col(final).is_null() | (pl.col(final) > context))
    unknown = _unknown_contexts(lists.runs, part, params, system)
    lost_at = _first_of(
        [
            *_BEFORE_FUSION,
            ("rerank", pl.lit(system == RERANKED) & _worse_after_rerank(params)),
            ("judgment", pl.col("query_id").is_in(unknown)),
            ("fusion", (pl.col("alone_rank") <= context).fill_null(False)),
        ],
        otherwise="context",
    )
    return _rows(missing.with_columns(final_rank=final), system, "", lost_at)


# The stages before fusion, in their order: the first that let it go has lost it.
_BEFORE_FUSION = [
    (stage, ~pl.col(stage)) for stage in ("corpus", "filter", "candidates", "collapse")
]


def _first_of(causes: Sequence[tuple[str, pl.Expr]], *, otherwise: str) -> pl.Expr:
    """The name of the first condition that holds."""
    told = pl.lit(otherwise)
    for name, holds in reversed(causes):
        told = pl.when(holds).then(pl.lit(name)).otherwise(told)
    return told


def _together() -> pl.Expr:
    return pl.concat_str(PAIR, separator="\0")


def _worse_after_rerank(params: Params) -> pl.Expr:
    """The reranker was handed it, and ranks it lower or not at all."""
    depth = 0 if params.evaluation.rerank is None else params.evaluation.rerank.depth
    after = pl.col("reranked_rank")
    handed = pl.col("fused_rank") <= depth
    return (handed & (after.is_null() | (after > pl.col("fused_rank")))).fill_null(False)


def _unknown_contexts(runs: pl.DataFrame, part: Part, params: Params, system: str) -> list[str]:
    """Queries whose context holds nothing judged: what displaced the evidence is not known."""
    if params.collection.regime != "pooled":
        return []
    shown = runs.filter((pl.col("system") == system) & (pl.col("rank") <= params.context.depth))
    judged = part.judgments.filter(pl.col("status") == "judged").select(PAIR)
    known = shown.join(judged, on=PAIR, how="semi")
    return shown.join(known, on="query_id", how="anti")["query_id"].unique().sort().to_list()


def _losses(
    facts: pl.DataFrame,
    per_query: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    *,
    pair: tuple[str, str],
) -> pl.DataFrame:
    system, rival = pair
    measure = parse_measure(params.selection.measure)
    cutoff = measure.cutoff or params.fusion.output_depth
    final = "fused_rank" if system == SELECTED else "reranked_rank"
    lost = _lost_queries(per_query, pair, params)
    theirs = lists.places(rival).rename({"rank": "against_rank"})
    demoted = (
        facts.join(theirs, on=PAIR, how="left")
        .filter(
            pl.col("query_id").is_in(lost)
            & (pl.col("grade") > 0)
            & (pl.col("against_rank") <= cutoff)
            & (pl.col(final).is_null() | (pl.col(final) > pl.col("against_rank")))
        )
        .with_columns(final_rank=final)
    )
    unknown = _displaced_by_unjudged(demoted, part, lists, params, pair)
    lost_at = _first_of(
        [*_BEFORE_FUSION, ("judgment", _together().is_in(unknown))],
        otherwise="fusion" if system == SELECTED else "rerank",
    )
    return _rows(demoted, system, rival, lost_at)


def _lost_queries(per_query: pl.DataFrame, pair: tuple[str, str], params: Params) -> list[str]:
    measure = params.selection.measure
    rows = per_query.filter(pl.col("measure") == measure).select("system", "query_id", "value")
    ours, theirs = (
        rows.filter(pl.col("system") == one).select("query_id", pl.col("value").alias(name))
        for one, name in zip(pair, ("ours", "theirs"), strict=True)
    )
    sign = 1 if parse_measure(measure).higher_is_better else -1
    worse = (pl.col("theirs") - pl.col("ours")) * sign > 0
    return ours.join(theirs, on="query_id").filter(worse)["query_id"].sort().to_list()


def _displaced_by_unjudged(
    demoted: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    pair: tuple[str, str],
) -> list[str]:
    """Demoted evidence above which only unjudged evidence has come to stand."""
    if params.collection.regime != "pooled" or demoted.is_empty():
        return []
    listed: Mapping[str, pl.DataFrame] = {
        one: lists.places(one).rename({"evidence_id": "above", "rank": f"rank_{place}"})
        for place, one in enumerate(pair)
    }
    judged = part.judgments.filter(pl.col("status") == "judged").select(
        "query_id", pl.col("evidence_id").alias("above"), known=pl.lit(True)
    )
    came = (
        demoted.filter(pl.col("final_rank").is_not_null())
        .join(listed[pair[0]], on="query_id")
        .filter(pl.col("rank_0") < pl.col("final_rank"))
        .join(listed[pair[1]], on=["query_id", "above"], how="left")
        .filter(pl.col("rank_1").is_null() | (pl.col("rank_1") > pl.col("against_rank")))
        .join(judged, on=["query_id", "above"], how="left")
    )
    alone = came.group_by(PAIR).agg(pl.col("known").is_null().all().alias("unjudged"))
    found = alone.filter(pl.col("unjudged")).sort(PAIR)
    return found.select(_together().alias("pair"))["pair"].to_list()


def _rows(found: pl.DataFrame, system: str, against: str, lost_at: pl.Expr) -> pl.DataFrame:
    if "against_rank" not in found.columns:
        found = found.with_columns(pl.lit(None, dtype=pl.Int64).alias("against_rank"))
    return found.select(
        pl.lit(system).alias("system"),
        pl.lit(against).alias("against"),
        *PAIR,
        "grade",
        lost_at.alias("lost_at"),
        *_FACTS,
    )
