"""The points that are tried: the declared grid, the tuned comparator's, the single branches.

A grid is methods × rank constants × weights × depths, as far as a method knows the axis. Weights
are the points of the simplex that `weight_step` cuts; methods without weights take every set of
two or more branches evenly. Points that are equal after normalisation are one point.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

from pipeline.errors import ParameterError
from pipeline.fusion import METHODS, Configuration
from pipeline.fusion.dialects import unserved
from pipeline.grid.simplex import Weights, even_sets, nearest_parts, simplex, weight_parts
from pipeline.params import Params
from pipeline.systems import single_branch

CONVEX = ("convex_minmax", "convex_zscore", "convex_tmm")
"""Convex combinations, by normalisation: the family of the tuned comparator."""

ANY = "any"
"""`sweep.target` where no engine is aimed at."""

Depths = Mapping[str, int]


def declared_grid(params: Params, depths: Sequence[int]) -> tuple[Configuration, ...]:
    """The declared grid at the given depths.

    Args:
        params: sections sweep, fusion and candidates.
        depths: one, where depths were chosen first; all declared ones in a joint grid.

    Returns:
        Configurations, sorted by id, each once; only those that `sweep.target` can serve.

    Raises:
        ParameterError: fewer than two branches to fuse, a weight step that does not divide 1, or
            a target that can serve no point.
    """
    grid = whole_grid(params, depths)
    if params.sweep.target == ANY:
        return grid
    served = tuple(point for point in grid if not lacking(point, params))
    if not served:
        raise ParameterError(
            f"{params.sweep.target} can serve no point of the grid",
            where="sweep.target",
            found="; ".join(lacking(grid[0], params)),
            expected="a grid with points it can serve, or any",
        )
    return served


def whole_grid(params: Params, depths: Sequence[int]) -> tuple[Configuration, ...]:
    """The declared grid whatever `sweep.target` is; raises as `declared_grid`."""
    branches, parts = fused(params), weight_parts(params.sweep.weight_step)
    return _distinct(
        point
        for depth in depths
        for method in dict.fromkeys(params.sweep.methods)
        for point in _method_points(method, branches, parts, depths_at(params, depth), params)
    )


def lacking(point: Configuration, params: Params) -> list[str]:
    """What of a point `sweep.target` cannot serve, one clause each."""
    if params.sweep.target == ANY:
        return []
    return unserved(params.sweep.target, point, missing=params.fusion.missing)


def left_out(params: Params, depths: Sequence[int]) -> dict[str, int]:
    """What keeps points of the grid from `sweep.target`: each clause and how many it bars."""
    if params.sweep.target == ANY:
        return {}
    clauses = (clause for point in whole_grid(params, depths) for clause in lacking(point, params))
    return dict(sorted(Counter(clauses).items()))


def declared_points(params: Params) -> int:
    """How many points the declared grid has, known without making it.

    Depths chosen first count as one depth; in a joint grid each counts that cuts the point's own
    branches otherwise than a smaller one.

    Raises:
        ParameterError: as `declared_grid`.
    """
    branches, parts = fused(params), weight_parts(params.sweep.weight_step)
    if params.sweep.target != ANY:
        depths = params.sweep.depths if params.sweep.joint else [max(params.sweep.depths)]
        return len(declared_grid(params, depths))
    return sum(
        _depth_count(params, chosen) * _inner_points(params, parts, count)
        for count in range(2, len(branches) + 1)
        for chosen in combinations(branches, count)
    )


def convex_grid(
    params: Params, branches: Sequence[str], depths: Sequence[int], points: int
) -> tuple[Configuration, ...]:
    """The tuned comparator's grid: convex combinations, as many as the declared grid has points.

    Args:
        params: sections sweep and candidates; the convex methods declared there, or min-max.
        branches: those with scores; fewer than two make an empty grid.
        depths: as for the declared grid.
        points: the number that the weights are stepped to come nearest to.

    Returns:
        Configurations, sorted by id, each once.
    """
    if len(branches) < 2:
        return ()
    declared: list[str] = [name for name in CONVEX if name in params.sweep.methods]
    methods = declared or ["convex_minmax"]
    parts = nearest_parts(len(branches), points / (len(methods) * len(depths)))
    return _distinct(
        _point(method, None, weights, depths_at(params, depth))
        for depth in depths
        for method in methods
        for weights in simplex(branches, parts)
    )


def branch_grid(params: Params) -> tuple[Configuration, ...]:
    """Each branch by itself at its own depth, production's too, sorted by id."""
    return _distinct(single_branch(params, name) for name in params.candidates)


def fused(params: Params) -> tuple[str, ...]:
    """The branches to fuse.

    Raises:
        ParameterError: there are fewer than two.
    """
    branches = params.fused_branches
    if len(branches) < 2:
        raise ParameterError(
            "fusion needs at least two branches",
            where="fusion.branches",
            found=", ".join(branches) or "none",
            expected="two or more names of candidates (production only where it is listed)",
        )
    return branches


def depths_at(params: Params, depth: int) -> Depths:
    """A declared depth for every branch, cut to what the branch itself retrieves."""
    return {name: min(depth, branch.depth) for name, branch in params.candidates.items()}


def cut_depths(params: Params) -> list[str]:
    """Declared depths that a fused branch does not reach: what is cut, to how much, in words."""
    return [
        f"sweep.depths: {depth} is cut to {params.candidates[name].depth} for {name},"
        f" which retrieves no more (candidates.{name}.depth)"
        for depth in sorted(set(params.sweep.depths))
        for name in params.fused_branches
        if depth > params.candidates[name].depth
    ]


def distinct_depths(params: Params) -> list[int]:
    """The declared depths, rising, without those that cut no branch deeper than a smaller one."""
    seen: dict[tuple[int, ...], int] = {}
    for depth in sorted(params.sweep.depths):
        cut = depths_at(params, depth)
        seen.setdefault(tuple(cut[name] for name in params.fused_branches), depth)
    return list(seen.values())


def _depth_count(params: Params, chosen: Sequence[str]) -> int:
    if not params.sweep.joint:
        return 1
    cuts = (depths_at(params, depth) for depth in params.sweep.depths)
    return len({tuple(cut[name] for name in chosen) for cut in cuts})


def _inner_points(params: Params, parts: int, branches: int) -> int:
    """Points of all methods at one depth where exactly so many branches take part."""
    weightings = math.comb(parts - 1, branches - 1)
    return sum(
        len(_constants(method, params)) * (weightings if METHODS[method].takes_weights else 1)
        for method in set(params.sweep.methods)
    )


def _method_points(
    method: str, branches: Sequence[str], parts: int, depths: Depths, params: Params
) -> Iterator[Configuration]:
    weighted = METHODS[method].takes_weights
    weightings = list(simplex(branches, parts) if weighted else even_sets(branches))
    constants = _constants(method, params)
    return (_point(method, k, each, depths) for k in constants for each in weightings)


def _constants(method: str, params: Params) -> list[float | None]:
    taken = METHODS[method].takes_rank_constant
    return [*dict.fromkeys(params.sweep.rank_constants)] if taken else [None]


def _point(
    method: str, rank_constant: float | None, weights: Weights, depths: Depths
) -> Configuration:
    return Configuration.of(
        method,
        rank_constant=rank_constant,
        weights={name: float(share) for name, share in weights.items()},
        depths={name: depths[name] for name in weights},
    )


def _distinct(points: Iterable[Configuration]) -> tuple[Configuration, ...]:
    by_id = {point.id: point for point in points}
    return tuple(by_id[name] for name in sorted(by_id))
