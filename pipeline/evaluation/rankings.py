"""Every system's lists, for what was frozen on all dev queries and for each fold's choice."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import polars as pl

from pipeline.choices import Choice
from pipeline.evaluation.ablations import (
    NO_COLLAPSE,
    ablations,
    starting_orders,
    starting_with,
    without_each,
)
from pipeline.evaluation.diversity import mmr, source_capped
from pipeline.evaluation.reranked import reranked
from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.systems import (
    BEST_BRANCH,
    HELD_OUT,
    MMR,
    PRODUCTION,
    RERANKED,
    RRF_60,
    SOURCE_CAP,
    System,
    baselines,
    branch_systems,
    rank_systems,
)
from pipeline.tables import RUNS


@dataclass(frozen=True, slots=True)
class Rankings:
    """Ranked lists of systems, and what the systems are there for.

    Args:
        runs: RUNS.
        roles: system to role, also of systems without any list.
        aliases: system to the one that it is by another name: `best_branch` to a branch.
        chosen: fold to the selected configuration; None: for every query without a fold.
        dropped: RUNS of the selected configuration without each branch, also where that leaves
            a single one, which is a system already.
    """

    runs: pl.DataFrame
    roles: Mapping[str, str]
    aliases: Mapping[str, str] = field(default_factory=dict)
    chosen: Mapping[int | None, Configuration] = field(default_factory=dict)
    dropped: pl.DataFrame = field(default_factory=RUNS.empty)

    def with_run(self, run: pl.DataFrame, system: str, role: str) -> "Rankings":
        """The same with one system more."""
        runs = with_lists(self.runs, run)
        return replace(self, runs=runs, roles={**self.roles, system: role})


def with_lists(runs: pl.DataFrame, more: pl.DataFrame) -> pl.DataFrame:
    """RUNS with those of further systems at their places.

    The rows that were there are not copied: there are many, and several such frames are held.
    """
    for (system,), lists in more.group_by("system", maintain_order=True):
        place = int((runs["system"] < str(system)).sum())
        runs = pl.concat([runs.head(place), lists, runs.tail(runs.height - place)])
    return RUNS.check(runs)


def rank_shipped(
    choice: Choice, candidates: pl.DataFrame, params: Params, vectors: pl.DataFrame | None = None
) -> Rankings:
    """All systems on all queries, with the final choice; `vectors` as in `mmr`."""
    lists = _rank(choice, choice, candidates, params, vectors)
    aliases = {BEST_BRANCH: str(choice.best_branch)} if BEST_BRANCH in lists.roles else {}
    chosen: dict[int | None, Configuration] = {}
    if choice.selected is not None:
        chosen[None] = choice.selected
    return replace(lists, aliases=aliases, chosen=chosen)


def rank_held_out(
    folds: Mapping[int, Choice],
    final: Choice,
    candidates: pl.DataFrame,
    splits: pl.DataFrame,
    params: Params,
    vectors: pl.DataFrame | None = None,
) -> Rankings:
    """All systems on the crossfit queries, each fold's with what was chosen without it.

    Args:
        folds: fold to choice.
        final: what would be shipped; it names the ablations.
        candidates: CANDIDATES.
        splits: SPLITS with folds.
        params: the study's parameters.
        vectors: as in `mmr`.

    Returns:
        The lists of all folds; only systems that every fold has.
    """
    numbers = splits.filter(pl.col("split") == "crossfit")["fold"].drop_nulls().unique().sort()
    # Without the labels of a fold that has none, the choice is the final one.
    parts = [
        _rank(
            folds.get(fold, final),
            final,
            candidates.join(_fold(splits, fold), on="query_id", how="semi"),
            params,
            vectors,
        )
        for fold in numbers
    ]
    shared = {
        system: role
        for system, role in parts[0].roles.items()
        if all(system in part.roles for part in parts)
    }
    runs = pl.concat([part.runs for part in parts]).filter(pl.col("system").is_in(list(shared)))
    chosen = {fold: folds.get(fold, final).selected for fold in numbers}
    known = {fold: one for fold, one in chosen.items() if one is not None}
    dropped = RUNS.check(pl.concat([part.dropped for part in parts]))
    return Rankings(RUNS.check(runs), shared, chosen=known, dropped=dropped)


def chosen_lists(held_out: Rankings, params: Params) -> pl.DataFrame:
    """The held-out lists of systems that depend on a choice, under names of their own."""
    same = {system.name for system in (*branch_systems(params), *starting_orders(params))}
    fixed = sorted({*same, PRODUCTION, RRF_60})
    lists = held_out.runs.filter(~pl.col("system").is_in(fixed))
    return lists.with_columns(pl.col("system") + HELD_OUT)


def _fold(splits: pl.DataFrame, fold: int) -> pl.DataFrame:
    chosen = (pl.col("split") == "crossfit") & (pl.col("fold") == fold)
    return splits.filter(chosen).select("query_id")


def _rank(
    choice: Choice,
    final: Choice,
    candidates: pl.DataFrame,
    params: Params,
    vectors: pl.DataFrame | None,
) -> Rankings:
    systems = [*_baselines(choice, params), *starting_orders(params)]
    if choice.selected is not None and final.selected is not None:
        systems += ablations(choice.selected, final.selected, params)
    loose = [system for system in systems if system.name == NO_COLLAPSE]
    collapsed = [system for system in systems if system.name != NO_COLLAPSE]
    documents = params.fusion.model_copy(update={"level": "document"})
    runs = with_lists(
        rank_systems(collapsed, candidates, params.fusion),
        rank_systems(loose, candidates, documents),
    )
    roles = {system.name: str(system.role) for system in systems}
    dropped = RUNS.empty()
    if choice.selected is not None:
        each = without_each(choice.selected, params.fused_branches)
        dropped = rank_systems(each, candidates, params.fusion)
    ranked = Rankings(runs, roles, dropped=dropped)
    if choice.selected is None:
        return ranked
    return _reordered(ranked, candidates, params, vectors)


def _reordered(
    ranked: Rankings, candidates: pl.DataFrame, params: Params, vectors: pl.DataFrame | None
) -> Rankings:
    """With the selected list in other orders, each where it is declared."""
    declared = params.evaluation
    lists = {
        RERANKED: declared.rerank and reranked(ranked.runs, candidates, params),
        SOURCE_CAP: declared.source_cap and source_capped(ranked.runs, candidates, params),
        MMR: declared.mmr and mmr(ranked.runs, vectors, params),
    }
    for system, run in lists.items():
        if isinstance(run, pl.DataFrame):
            ranked = ranked.with_run(run, system, "ablation")
    return ranked


def _baselines(choice: Choice, params: Params) -> tuple[System, ...]:
    order = starting_with(choice.best_branch, params.fused_branches)
    systems = baselines(
        params, selected=choice.selected, best_convex=choice.best_convex, order=order
    )
    best = [
        System(BEST_BRANCH, "baseline", system.configuration)
        for system in systems
        if system.name == choice.best_branch
    ]
    return (*systems, *best)
