"""At which depths the selected fusion is tried, to see what depth buys and what it costs."""

from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.systems import SELECTED

LADDER = (5, 10, 20, 50, 100, 200, 500, 1000)


def tried_depths(params: Params) -> tuple[int, ...]:
    """The declared depths; where only one is declared, round ones below the deepest branch's.

    Args:
        params: sections sweep, candidates, fusion.

    Returns:
        Rising; the greatest is the deepest branch's own.
    """
    greatest = max(params.candidates[name].depth for name in params.fused_branches)
    declared = set(params.sweep.depths)
    steps = declared if len(declared) > 1 else set(LADDER)
    return tuple(sorted({*(step for step in steps if step < greatest), greatest}))


def depth_name(depth: int) -> str:
    """The selected fusion with its branches asked for a depth, as a system."""
    return f"{SELECTED}@{depth}"


def at_depth(configuration: Configuration, depth: int, params: Params) -> Configuration:
    """The configuration with its branches asked for another depth.

    Args:
        configuration: the selected one.
        depth: up to its deepest branch's no branch is asked for more; beyond that every branch
            is, as far as it retrieves.
        params: section candidates.
    """
    deeper = depth > max(own for _, own in configuration.depths)
    depths = {
        name: min(params.candidates[name].depth if deeper else own, depth)
        for name, own in configuration.depths
    }
    return Configuration.of(
        configuration.method,
        rank_constant=configuration.rank_constant,
        weights=dict(configuration.weights),
        depths=depths,
        order=configuration.order,
    )
