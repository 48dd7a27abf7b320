"""The selected configuration with one thing taken away, and the union with another start."""

from collections.abc import Sequence

from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.systems import EQUAL_WORK, REWRITTEN, ROUND_ROBIN, System, baselines

NO_COLLAPSE = "no_collapse"
STARTING = f"{ROUND_ROBIN}_from_"
WITHOUT = "without_"


def ablations(choice: Configuration, shipped: Configuration, params: Params) -> tuple[System, ...]:
    """The configuration without collapse, at the depths of one branch, and without each branch.

    Also on branches that searched rewritten queries, where these are declared.

    A branch is dropped only where that leaves a fusion: with two branches what is left is the
    other branch, which is a system already.

    Args:
        choice: the configuration to take from; under crossfit a fold's.
        shipped: the final configuration: it says which branches are worth dropping, so that
            every fold has the same systems.
        params: how deep each branch goes by itself.
    """
    dropped = shipped.branches if len(shipped.branches) > 2 else ()
    return (
        System(NO_COLLAPSE, "ablation", choice),
        System(EQUAL_WORK, "ablation", cut_to_one(choice, params)),
        *without_each(choice, dropped),
        *rewritten(choice, params),
    )


def without_each(choice: Configuration, names: Sequence[str]) -> tuple[System, ...]:
    """The configuration without each of these branches; as it is where one takes no part."""
    return tuple(System(f"{WITHOUT}{name}", "ablation", choice.without(name)) for name in names)


def rewritten(choice: Configuration, params: Params) -> tuple[System, ...]:
    """The configuration on the branches that searched a rewriting of the query, where declared.

    Each keeps the weight of the branch that it stands for, and its depth as far as it goes.
    """
    stand_in = params.evaluation.rewritten
    if not stand_in:
        return ()
    names = {name: stand_in.get(name, name) for name in choice.branches}
    configuration = Configuration.of(
        choice.method,
        rank_constant=choice.rank_constant,
        weights={names[name]: weight for name, weight in choice.weights},
        depths={
            names[name]: min(depth, params.candidates[names[name]].depth)
            for name, depth in choice.depths
        },
        order=tuple(names[name] for name in choice.order) if choice.order else choice.order,
    )
    return (System(REWRITTEN, "ablation", configuration),)


def cut_to_one(choice: Configuration, params: Params) -> Configuration:
    """The configuration with each of B branches cut to its own depth over B, at least to 1.

    Together they fetch what one branch by itself does.
    """
    several = len(choice.branches)
    share = {name: max(params.candidates[name].depth // several, 1) for name in choice.branches}
    return Configuration.of(
        choice.method,
        rank_constant=choice.rank_constant,
        weights=dict(choice.weights),
        depths={name: min(depth, share[name]) for name, depth in choice.depths},
        order=choice.order,
    )


def starting_orders(params: Params) -> tuple[System, ...]:
    """The round-robin union once for each branch that may go first, the others by name."""
    names = params.fused_branches
    return tuple(
        System(f"{STARTING}{first}", "ablation", system.configuration)
        for first in names
        for system in baselines(params, order=starting_with(first, names))
        if system.name == ROUND_ROBIN
    )


def starting_with(first: str | None, names: tuple[str, ...]) -> tuple[str, ...]:
    """The branches with one in front; by name where there is none to put there."""
    if first not in names:
        return names
    return (str(first), *(name for name in names if name != first))
