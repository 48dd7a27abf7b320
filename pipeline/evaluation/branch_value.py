"""What each branch is worth: evidence that it alone brings, and what is lost without it."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.evaluation.ablations import WITHOUT
from pipeline.evaluation.differences import compare_queries
from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import SELECTED
from pipeline.tables import BRANCH_VALUE


def branch_value(
    per_query: pl.DataFrame,
    relevant: pl.DataFrame,
    part: Part,
    lists: Retrieved,
    params: Params,
) -> pl.DataFrame:
    """Each branch on all queries and on each slice shown.

    Args:
        per_query: PER_QUERY of the part: `selected`, and `without_BRANCH` for every branch.
        relevant: `query_id, evidence_id` of the part's ranked queries.
        part: slices, groups and level.
        lists: what was retrieved, and how deep it was fused.
        params: the branches and the primary measure.

    Returns:
        BRANCH_VALUE; no difference where the selected configuration has no other branch.
    """
    if not lists.fused:
        return BRANCH_VALUE.empty()
    held = _held(relevant, lists)
    alone = _alone(held, [*PAIR])
    queries = _alone(held, ["query_id"])
    values = _values(per_query, params.selection.measure)
    rows = [
        {
            "split": part.split,
            "slice": name,
            "branch": branch,
            "evidence": _count(held, branch, members),
            "unique_evidence": _count(alone, branch, members),
            "unique_queries": _count(queries, branch, members),
            **_worth(values, branch, name, members, part, lists, params),
        }
        for name, members in part.slices.shown.items()
        for branch in params.fused_branches
    ]
    return BRANCH_VALUE.check(pl.DataFrame(rows, schema=dict(BRANCH_VALUE.columns), orient="row"))


def _held(relevant: pl.DataFrame, lists: Retrieved) -> pl.DataFrame:
    """`branch, query_id, evidence_id` of relevant evidence within the depth that was fused."""
    found = lists.candidates.join(lists.cuts(), on=["query_id", "branch"])
    within = found.filter(pl.col("rank") <= pl.col("depth"))
    return within.join(relevant, on=PAIR, how="semi").select("branch", *PAIR).unique()


def _alone(held: pl.DataFrame, unit: list[str]) -> pl.DataFrame:
    single = held.group_by(unit).agg(pl.col("branch").n_unique().alias("several"))
    only = single.filter(pl.col("several") == 1)
    return held.join(only, on=unit, how="semi").select("branch", *unit).unique()


def _count(rows: pl.DataFrame, branch: str, members: tuple[str, ...]) -> int:
    own = (pl.col("branch") == branch) & pl.col("query_id").is_in(list(members))
    return rows.filter(own).height


def _values(per_query: pl.DataFrame, measure: str) -> Mapping[str, Mapping[str, float]]:
    rows = per_query.filter(pl.col("measure") == measure).drop_nulls("value")
    found: dict[str, dict[str, float]] = {}
    for system, query, value in rows.select("system", "query_id", "value").iter_rows():
        found.setdefault(system, {})[query] = value
    return found


def _worth(
    values: Mapping[str, Mapping[str, float]],
    branch: str,
    name: str,
    members: tuple[str, ...],
    part: Part,
    lists: Retrieved,
    params: Params,
) -> dict[str, Any]:
    """The paired difference, selected minus without the branch."""
    ours, theirs = values.get(SELECTED, {}), values.get(f"{WITHOUT}{branch}", {})
    several = {query for query, one in lists.fused.items() if len(one.branches) > 1}
    shared = [query for query in members if query in ours and query in theirs and query in several]
    found = compare_queries(
        {query: ours[query] - theirs[query] for query in shared},
        name,
        part=part,
        params=params,
    )
    return {key: getattr(found, key) for key in ("delta", "low", "high", "queries", "groups")}
