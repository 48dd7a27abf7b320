"""Fusion and branches where all may fetch equally much: fusing must not win by depth alone."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import polars as pl

from pipeline.evaluation.ablations import cut_to_one
from pipeline.evaluation.differences import compare_queries
from pipeline.evaluation.reranked_work import Depths, Reranker, known_places, within
from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.slices import ALL_QUERIES
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
    `reranked_cut`, `reranked_summed`, `reranked_other`: the same on the primary measure, everything
    that is fetched put in the order of `evaluation.rerank`.

    Args:
        per_query: PER_QUERY of the part, with the system `equal_work`.
        relevant: `query_id, evidence_id` of the part's ranked queries.
        part: groups and level.
        lists: what was retrieved, and as deep as it is known.
        params: branches, depths, primary measure.
        baselines: the systems to compare with, each with the branch that it is.

    Returns:
        EQUAL_WORKS; without values where a branch's list is not known so deep, or the reranker
        does not rank all of it.
    """
    if not lists.fused or not part.ranked:
        return EQUAL_WORKS.empty()
    rows = [*_on_primary(per_query, part, lists, params, baselines)]
    places = known_places(lists)
    held = places.join(relevant, on=PAIR, how="semi")
    totals = dict(relevant.group_by("query_id").len().rows())
    rows += _on_fetched("", RECALL, partial(_recall, held, totals), part, lists, params)
    if params.evaluation.rerank is not None:
        reranker = Reranker.of(params.evaluation.rerank.branch, places, part, params)
        measure = params.selection.measure
        rows += _on_fetched("reranked_", measure, reranker.values, part, lists, params)
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


def _on_fetched(
    prefix: str,
    measure: str,
    values: Callable[[Depths], dict[str, float] | str],
    part: Part,
    lists: Retrieved,
    params: Params,
) -> Iterator[dict[str, Any]]:
    """Comparisons of all that is fetched; `values` of depths, or why there are none."""
    known: dict[bool, dict[str, float] | str] = {}  # the fusion's values, cut and as it is
    for kind, system, depth_of in _asked(lists, params):
        cut = system == EQUAL_WORK
        if cut not in known:
            known[cut] = values(_depths(lists, params, cut=cut))
        ours = known[cut]
        fetched = _fetched(lists, params, cut=cut)
        for branch in sorted(params.fused_branches):
            for depth in depth_of[branch]:
                about = _about(
                    f"{prefix}{kind}", system, branch, measure, depth=depth, fetched=fetched
                )
                if depth > lists.depths[branch]:
                    yield about | _unknown(_too_short(branch, depth, lists), part.split)
                    continue
                theirs = values({query: {branch: depth} for query in lists.fused})
                if isinstance(ours, str) or isinstance(theirs, str):
                    missing = ours if isinstance(ours, str) else str(theirs)
                    yield about | _unknown(missing, part.split)
                    continue
                yield about | _compared(ours, theirs, about, part, params)


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


def _recall(held: pl.DataFrame, totals: Mapping[str, int], depths: Depths) -> dict[str, float]:
    """Query to the share of its relevant evidence within any of these branches' depths."""
    found = dict(within(held, depths).group_by("query_id").len().rows())
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
    found = compare_queries(differences, ALL_QUERIES, part=part, params=params)
    means = {"ours": _mean(ours, shared), "theirs": _mean(theirs, shared)}
    return {"split": part.split, **means} | {name: getattr(found, name) for name in COPIED}


def _mean(values: Mapping[str, float], queries: list[str]) -> float | None:
    return math.fsum(values[query] for query in queries) / len(queries) if queries else None


def _unknown(missing: str, split: str) -> dict[str, Any]:
    counts = dict.fromkeys(("queries", "groups", "nonzero_groups"), 0)
    return {"split": split, **counts, "missing": missing}


def _too_short(branch: str, depth: int, lists: Retrieved) -> str:
    return (
        f"{branch} is read to {lists.depths[branch]:g} only: "
        f"candidates.{branch}.depth: {depth} would tell"
    )


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
