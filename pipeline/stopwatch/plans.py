"""Which systems are timed, and how each is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.choices import final_choice
from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.systems import SELECTED, single_branch
from pipeline.times.depths import at_depth, depth_name, tried_depths


@dataclass(frozen=True, slots=True)
class Plan:
    """One system as it is asked.

    Args:
        system: its name in the record.
        configuration: how it ranks.
        id: of the configuration; None for a branch served alone.
    """

    system: str
    configuration: Configuration
    id: str | None


def served_plans(
    selection: Mapping[str, Any], params: Params, timeable: Sequence[str]
) -> list[Plan]:
    """Every branch served alone, and the selected configuration where all its branches can be.

    Args:
        selection: selection.json.
        params: section candidates.
        timeable: branches that have an engine.
    """
    alone = [Plan(name, single_branch(params, name), None) for name in timeable]
    chosen = _chosen(selection, timeable)
    return alone if chosen is None else [*alone, Plan(SELECTED, chosen, chosen.id)]


def cold_plans(plans: Sequence[Plan], selection: Mapping[str, Any], params: Params) -> list[Plan]:
    """Of the served plans those whose first calls are compared: a fresh process is slow to make.

    The selected configuration, and what gates compare it with: production, else the branch best
    on dev; every branch where neither has an engine.
    """
    named = [params.production, selection.get("best_branch")]
    known = [plan for plan in plans if plan.system in named[:1]]
    known = known or [plan for plan in plans if plan.system in named[1:]]
    known = known or [plan for plan in plans if plan.system != SELECTED]
    return [*known, *(plan for plan in plans if plan.system == SELECTED)]


def cut_plans(selection: Mapping[str, Any], params: Params, timeable: Sequence[str]) -> list[Plan]:
    """The selected fusion with its branches asked for each depth that is tried."""
    chosen = _chosen(selection, timeable)
    if chosen is None:
        return []
    plans = [(depth, at_depth(chosen, depth, params)) for depth in tried_depths(params)]
    return [Plan(depth_name(depth), one, one.id) for depth, one in plans]


def _chosen(selection: Mapping[str, Any], timeable: Sequence[str]) -> Configuration | None:
    chosen = final_choice(selection).selected
    return chosen if chosen is not None and set(chosen.branches) <= set(timeable) else None
