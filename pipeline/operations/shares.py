"""Which configuration answers which queries, for every system."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.choices import Choice, final_choice, fold_choices
from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.parts import TEST, Part
from pipeline.systems import baselines


@dataclass(frozen=True, slots=True)
class Share:
    """The queries that one configuration answers: all, or under crossfit a fold's.

    Args:
        configuration: how it ranks.
        queries: `query_id`.
    """

    configuration: Configuration
    queries: pl.DataFrame


Answering = Mapping[str, Sequence[Share]]


def answering(
    part: Part, selection: Mapping[str, Any], splits: pl.DataFrame, params: Params
) -> dict[str, list[Share]]:
    """Every system's shares of a part's queries, by system; nothing where none is selected.

    Args:
        part: the queries; under crossfit the test is answered fold by fold.
        selection: selection.json.
        splits: SPLITS, with folds.
        params: branches, production, fusion.
    """
    if final_choice(selection).selected is None:
        return {}
    shares: dict[str, list[Share]] = {}
    for choice, queries in _choices(part, selection, splits):
        for system in _systems(choice, params):
            shares.setdefault(system[0], []).append(Share(system[1], queries))
    return {name: shares[name] for name in sorted(shares)}


def used_branches(shares: Iterable[Share]) -> tuple[str, ...]:
    """The branches that any of the configurations uses, sorted."""
    return tuple(sorted({name for one in shares for name in one.configuration.branches}))


def _choices(
    part: Part, selection: Mapping[str, Any], splits: pl.DataFrame
) -> Iterator[tuple[Choice, pl.DataFrame]]:
    folds = fold_choices(selection) if part.split == TEST else {}
    asked = part.queries.select("query_id")
    if not folds:
        yield final_choice(selection), asked
    for fold, choice in sorted(folds.items()):
        of_fold = splits.filter(pl.col("fold") == fold)
        yield choice, asked.join(of_fold, on="query_id", how="semi", maintain_order="left")


def _systems(choice: Choice, params: Params) -> Iterator[tuple[str, Configuration]]:
    # The union starts with the branch best on dev, as in evaluation.
    names = params.fused_branches
    first = [name for name in names if name == choice.best_branch]
    order = (*first, *(name for name in names if name not in first))
    for system in baselines(
        params, selected=choice.selected, best_convex=choice.best_convex, order=order
    ):
        yield system.name, system.configuration
