"""Fusion and branches where all may fetch equally much: fusing must not win by depth alone."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.evaluation.ablations import cut_to_one
from pipeline.evaluation.differences import compare_queries
from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import EQUAL_WORK, PRODUCTION, SELECTED
from pipeline.tables import EQUAL_WORKS

# Whether the list is read whole: recall of what was fetched, not of what was shown.
RECALL = "R"

# What a row takes from its comparison as it is.
COPIED = ("delta", "low", "high", "queries", "groups", "nonzero_groups", "standard_error")


def equal_work(
    per_query: pl.DataFrame,
    relevant: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    *,
    baselines: Mapping[str, str],
) -> pl.DataFrame:
    """The comparisons at equal work.

    `cut`: the selected fusion with its depths cut to D/B against each branch at its D, on the
    primary measure. `cut` again, `summed` and `other`, on the recall of all that is fetched (deeper
    lists cannot change the top by themselves): the cut fusion against each branch at its D; the
    fusion as it is against each branch at the sum of the fused depths, and at each other branch's.

    Args:
        per_query: PER_QUERY of the part, with the system `equal_work`.
        relevant: `query_id, evidence_id` of the part's ranked queries.
        part: groups and level.
        lists: what was retrieved, and as deep as it is known.
        params: branches, depths, primary measure.
        baselines: the systems to compare with, each with the branch that it is.

    Returns:
        EQUAL_WORKS; without values where a branch's list is not known so deep.
    """
    if not lists.fused or not part.ranked:
        return EQUAL_WORKS.empty()
    rows = [*_on_primary(per_query, part, lists, params, baselines)]
    branches = {name: name for name in params.fused_branches}
    rows += _on_recall(relevant, part, lists, params, branches)
    return EQUAL_WORKS.check(pl.DataFrame(rows, schema=dict(EQUAL_WORKS.columns), orient="row"))


def _on_primary(
    per_query: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    baselines: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    measure = params.selection.measure
    values = _values(per_query, measure)
    ours = values.get(EQUAL_WORK, {})
    fetched = _fetched(lists, params, cut=True)
    for baseline, branch in sorted(baselines.items()):
        depth = params.candidates[branch].depth
        about = _about("cut", EQUAL_WORK, baseline, measure, depth=depth, fetched=fetched)
        yield about | _compared(ours, values[baseline], about, part, params)


def _on_recall(
    relevant: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
    branches: Mapping[str, str],
) -> Iterator[dict[str, Any]]:
    held = _held(relevant, lists)
    totals = dict(relevant.group_by("query_id").len().rows())
    for kind, system, depth_of in _asked(lists, params):
        cut = system == EQUAL_WORK
        ours = _recall(held, totals, _depths(lists, params, cut=cut))
        for branch in sorted(branches):
            for depth in depth_of[branch]:
                fetched = _fetched(lists, params, cut=cut)
                about = _about(kind, system, branch, RECALL, depth=depth, fetched=fetched)
                if depth > lists.depths[branch]:
                    yield about | _unknown(branch, depth, lists, part.split)
                    continue
                alone = {query: {branch: depth} for query in lists.fused}
                yield about | _compared(ours, _recall(held, totals, alone), about, part, params)


def _asked(lists: Retrieved, params: Params) -> Iterator[tuple[str, str, Mapping[str, list[int]]]]:
    """Kind, system, and for each branch the depths it is asked for."""
    own = {name: params.candidates[name].depth for name in params.fused_branches}
    summed = max(sum(depth for _, depth in one.depths) for one in lists.fused.values())
    yield "cut", EQUAL_WORK, {name: [own[name]] for name in own}
    yield "summed", SELECTED, {name: [summed] for name in own}
    others = {
        name: sorted({own[other] for other in own if other != name} - {own[name], summed})
        for name in own
    }
    yield "other", SELECTED, others


def _depths(lists: Retrieved, params: Params, *, cut: bool) -> dict[str, dict[str, int]]:
    return {
        query: dict((cut_to_one(one, params) if cut else one).depths)
        for query, one in lists.fused.items()
    }


def _fetched(lists: Retrieved, params: Params, *, cut: bool) -> int:
    """The most that any query's fused branches are asked for together."""
    return max(sum(one.values()) for one in _depths(lists, params, cut=cut).values())


def _held(relevant: pl.DataFrame, lists: Retrieved) -> pl.DataFrame:
    """`query_id, evidence_id, branch, rank` of relevant evidence, as deep as is known."""
    columns = ["branch", *PAIR, "rank"]
    known = pl.concat([lists.candidates.select(columns), lists.beyond.select(columns)])
    found = known.join(relevant, on=PAIR, how="semi")
    return found.group_by("branch", *PAIR).agg(pl.col("rank").min())


def _recall(
    held: pl.DataFrame, totals: Mapping[str, int], depths: Mapping[str, Mapping[str, int]]
) -> dict[str, float]:
    """Query to the share of its relevant evidence within any of these branches' depths."""
    cuts = [(query, name, depth) for query, one in depths.items() for name, depth in one.items()]
    schema = {"query_id": pl.String, "branch": pl.String, "depth": pl.Int64}
    frame = pl.DataFrame(cuts, schema=schema, orient="row")
    within = held.join(frame, on=["query_id", "branch"]).filter(pl.col("rank") <= pl.col("depth"))
    found = dict(within.select(PAIR).unique().group_by("query_id").len().rows())
    return {query: found.get(query, 0) / totals[query] for query in sorted(totals)}


def _values(per_query: pl.DataFrame, measure: str) -> dict[str, dict[str, float]]:
    rows = per_query.filter(pl.col("measure") == measure).drop_nulls("value")
    found: dict[str, dict[str, float]] = {name: {} for name in per_query["system"].unique()}
    for system, query, value in rows.select("system", "query_id", "value").iter_rows():
        found[system][query] = value
    return found


def _about(
    kind: str, system: str, baseline: str, measure: str, *, depth: int, fetched: int
) -> dict[str, Any]:
    return {
        "kind": kind,
        "system": system,
        "baseline": baseline,
        "measure": measure,
        "depth": depth,
        "fetched": fetched,
        "missing": None,
    }


def _compared(
    ours: Mapping[str, float],
    theirs: Mapping[str, float],
    about: Mapping[str, Any],
    part: Part,
    params: Params,
) -> dict[str, Any]:
    shared = sorted(set(ours) & set(theirs))
    differences = {query: ours[query] - theirs[query] for query in shared}
    names = (about["measure"], EQUAL_WORK, f"{about['kind']} {about['depth']}")
    found = compare_queries(differences, about["baseline"], *names, part=part, params=params)
    means = {"ours": _mean(ours, shared), "theirs": _mean(theirs, shared)}
    return {"split": part.split, **means} | {name: getattr(found, name) for name in COPIED}


def _mean(values: Mapping[str, float], queries: list[str]) -> float | None:
    return math.fsum(values[query] for query in queries) / len(queries) if queries else None


def _unknown(branch: str, depth: int, lists: Retrieved, split: str) -> dict[str, Any]:
    return {
        "split": split,
        "queries": 0,
        "groups": 0,
        "nonzero_groups": 0,
        "missing": f"{branch} is read to {lists.depths[branch]:g} only: "
        f"candidates.{branch}.depth: {depth} would tell",
    }


def branches_of(
    roles: Mapping[str, str], aliases: Mapping[str, str], params: Params
) -> dict[str, str]:
    """The systems that are a single branch, each with that branch; under crossfit best_branch too.

    There the branch differs from fold to fold; the deepest one's depth is told.
    """
    found = {name: name for name, role in roles.items() if role == "branch"}
    if params.production is not None:
        found[PRODUCTION] = params.production
    deepest = max(params.fused_branches, key=lambda name: params.candidates[name].depth)
    if "best_branch" in roles:
        found["best_branch"] = aliases.get("best_branch", deepest)
    return found
