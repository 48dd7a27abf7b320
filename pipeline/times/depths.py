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


def cut_name(depth: int) -> str:
    """The selected fusion with its branches cut to a depth, as a system."""
    return f"{SELECTED}@{depth}"


def cut(configuration: Configuration, depth: int) -> Configuration:
    """The configuration with no branch asked for more than a depth."""
    return Configuration.of(
        configuration.method,
        rank_constant=configuration.rank_constant,
        weights=dict(configuration.weights),
        depths={name: min(own, depth) for name, own in configuration.depths},
        order=configuration.order,
    )
