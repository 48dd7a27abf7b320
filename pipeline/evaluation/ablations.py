"""The selected configuration with one thing taken away, and the union with another start."""

from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.systems import ROUND_ROBIN, System, baselines

NO_COLLAPSE = "no_collapse"
STARTING = f"{ROUND_ROBIN}_from_"


def ablations(choice: Configuration, shipped: Configuration) -> tuple[System, ...]:
    """The configuration without collapse, and without each branch.

    A branch is dropped only where that leaves a fusion: with two branches what is left is the
    other branch, which is a system already.

    Args:
        choice: the configuration to take from; under crossfit a fold's.
        shipped: the final configuration: it says which branches are worth dropping, so that
            every fold has the same systems.
    """
    dropped = shipped.branches if len(shipped.branches) > 2 else ()
    return (
        System(NO_COLLAPSE, "ablation", choice),
        *(System(f"without_{name}", "ablation", choice.without(name)) for name in dropped),
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
