"""Which systems there are, and how each ranks; no label is read here."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pipeline.errors import ParameterError, key
from pipeline.fusion import METHODS, Configuration, fuse
from pipeline.fusion.frames import contract_lists, fuse_lists
from pipeline.fusion.lists import Lists
from pipeline.params import FusionParams, Params
from pipeline.tables import RUNS

Role = Literal[
    "branch", "baseline", "selected", "comparator", "ablation", "diagnostic", "configuration"
]

RANKED = ("query_id", "rank", "doc_id", "evidence_id", "score")
PRODUCTION, ROUND_ROBIN, RRF_60 = "production", "round_robin", "rrf_60"
SELECTED, BEST_CONVEX, BEST_BRANCH = "selected", "best_convex", "best_branch"
RERANKED, EQUAL_WORK, REWRITTEN = "reranked", "equal_work", "rewritten"
SOURCE_CAP, MMR = "source_cap", "mmr"
# Under crossfit: what was ranked by each fold's own choice, SYSTEM_held_out in RUNS.
HELD_OUT = "_held_out"
# What evaluation calls its own: a branch of such a name could not be told apart.
DERIVED = re.compile(
    r"best_branch(_per_query)?|no_collapse|oracle_union|reranked|equal_work|source_cap|mmr|rewritten"
    r"|without_.*|round_robin_from_.*|.*_held_out"
)


@dataclass(frozen=True, slots=True)
class System:
    """Something that ranks every query.

    Args:
        name: its name in every table.
        role: what it is there for.
        configuration: how it ranks.
    """

    name: str
    role: Role
    configuration: Configuration


def single_branch(params: Params, name: str) -> Configuration:
    """One branch by itself, at its own depth."""
    depth = params.candidates[name].depth
    return Configuration.of("branch", weights={name: 1}, depths={name: depth})


def branch_systems(params: Params) -> tuple[System, ...]:
    """Each branch that fusion may use, by itself at its own depth; sorted by name."""
    return tuple(
        System(name, "branch", single_branch(params, name))
        for name in _own_names(params.fused_branches)
    )


def baselines(
    params: Params,
    *,
    selected: Configuration | None = None,
    best_convex: Configuration | None = None,
    order: Sequence[str] = (),
) -> tuple[System, ...]:
    """The systems that are always shown, branches first.

    Args:
        params: sections candidates, production and fusion.
        selected: the frozen configuration, where there is one.
        best_convex: the tuned comparator, where there is one.
        order: the branches' order in the round-robin union; by name where empty.

    Returns:
        Each branch; production, where given; round-robin union and unweighted RRF (k = 60), where
        there are two branches to fuse; the best convex combination; the selected configuration.
    """
    further = {
        BEST_CONVEX: ("comparator", best_convex),
        SELECTED: ("selected", selected),
    }
    given = [
        System(name, role, configuration)  # type: ignore[arg-type]
        for name, (role, configuration) in further.items()
        if configuration is not None
    ]
    return (*branch_systems(params), *_production(params), *_unions(params, order), *given)


def default_systems(params: Params) -> tuple[System, ...]:
    """What a judging pool is drawn from: baselines, and one default for each method of the sweep.

    A default has equal weights, the branches' own depths, and k = 60 where there is one; a
    method whose default is a baseline already is not repeated.
    """
    known = baselines(params)
    seen = {system.configuration for system in known}
    defaults = [
        System(method, "configuration", _even(params, method))
        for method in dict.fromkeys(params.sweep.methods)
        if len(params.fused_branches) > 1
    ]
    return (*known, *(system for system in defaults if system.configuration not in seen))


def declared_configuration(params: Params) -> Configuration:
    """The configuration written under `selection.configuration`.

    Weights that are not given are equal over the branches fusion may use; depths that are not
    given are the branches' own; k that is not given is 60.

    Raises:
        ParameterError: nothing is declared; a branch that fusion may not use; a depth beyond
            what the branch retrieves; or as `Configuration`.
    """
    declared = params.selection.configuration
    where = "selection.configuration"
    if declared is None:
        raise ParameterError("no configuration is declared", where=where)
    weights = dict(declared.weights) or dict.fromkeys(params.fused_branches, 1.0)
    _refuse_strangers([*weights, *declared.depths], params.fused_branches, where)
    own = {name: params.candidates[name].depth for name in weights}
    depths = {**own, **{name: declared.depths[name] for name in own if name in declared.depths}}
    for name, depth in depths.items():
        if depth > own[name]:
            raise ParameterError(
                "a depth beyond what the branch retrieves",
                where=f"{where}.depths.{name}",
                found=depth,
                expected=f"at most candidates.{name}.depth, {own[name]}",
            )
    with key(where):
        return Configuration.of(
            declared.method, rank_constant=declared.rank_constant, weights=weights, depths=depths
        )


def rank_system(
    system: System | Configuration, candidates: pl.DataFrame, fusion: FusionParams
) -> pl.DataFrame:
    """The ranked lists of one system, collapsed and renumbered as the contract says.

    Args:
        system: a system, or a configuration.
        candidates: the table `candidates`, all branches.
        fusion: the fixed part of the contract.

    Returns:
        query_id, rank, doc_id, evidence_id, score; key (query_id, rank), sorted by it.

    Raises:
        ContractError: as `fuse`.
    """
    configuration = system.configuration if isinstance(system, System) else system
    return fuse(candidates, configuration.contract(fusion)).select(RANKED)


def rank_systems(
    systems: Iterable[System], candidates: pl.DataFrame, fusion: FusionParams
) -> pl.DataFrame:
    """The table `runs`: the ranked lists of many systems, sorted by system, query_id, rank.

    Raises:
        ParameterError: two systems of one name.
        ContractError: as `fuse`.
    """
    named: dict[str, System] = {}
    for system in systems:
        if named.setdefault(system.name, system) != system:
            raise ParameterError("two systems of one name", where="systems", found=system.name)
    lists: dict[object, Lists] = {}
    frames = []
    for name in sorted(named):
        contract = named[name].configuration.contract(fusion)
        if contract.depths not in lists:
            lists[contract.depths] = contract_lists(candidates, contract)
        fused = fuse_lists(lists[contract.depths], contract)
        frames.append(fused.select(pl.lit(name).alias("system"), pl.col(RANKED)))
    return pl.concat(frames) if frames else RUNS.empty()


def _production(params: Params) -> list[System]:
    if params.production is None:
        return []
    return [System(PRODUCTION, "baseline", single_branch(params, params.production))]


def _unions(params: Params, order: Sequence[str]) -> list[System]:
    if len(params.fused_branches) < 2:
        return []
    return [
        System(ROUND_ROBIN, "baseline", _even(params, "round_robin", order)),
        System(RRF_60, "baseline", _even(params, "rrf")),
    ]


def _even(params: Params, method: str, order: Sequence[str] = ()) -> Configuration:
    names = params.fused_branches
    return Configuration.of(
        method,
        weights=dict.fromkeys(names, 1.0),
        depths={name: params.candidates[name].depth for name in names},
        order=order,
    )


def clashing_names(branches: Iterable[str]) -> list[str]:
    """The branches, sorted, that have the name of a system."""
    taken = {PRODUCTION, ROUND_ROBIN, RRF_60, SELECTED, BEST_CONVEX, *METHODS}
    return sorted(name for name in branches if name in taken or DERIVED.fullmatch(name))


def _own_names(branches: Sequence[str]) -> Sequence[str]:
    clashes = clashing_names(branches)
    if clashes:
        raise ParameterError(
            "a branch has the name of a system",
            where=f"candidates.{clashes[0]}",
            found=clashes[0],
            expected="another name",
        )
    return branches


def _refuse_strangers(names: Iterable[str], known: Sequence[str], where: str) -> None:
    strangers = sorted(set(names) - set(known))
    if strangers:
        raise ParameterError(
            "not a branch that fusion may use",
            where=where,
            found=strangers,
            expected=", ".join(known),
        )
