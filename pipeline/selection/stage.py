"""Selection: one configuration is frozen, by the declared rule, on dev alone."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.fusion import Configuration
from pipeline.ledger import Opening, procedure, selection_hash, test_set_hash
from pipeline.params import Params
from pipeline.pieces import Frames
from pipeline.selection.dev import read_dev
from pipeline.selection.frozen import MODES, Frozen, Study
from pipeline.selection.latency import too_slow
from pipeline.selection.record import dev_values, excluded, mapping, region
from pipeline.selection.rivals import rivals_of
from pipeline.tables import DEPTH_RECALL


@dataclass(frozen=True, slots=True)
class Selection:
    """What selection leaves behind.

    Args:
        selection: the content of selection.json, see `compute`.
        summary: the few figures a person wants to see of it.
    """

    selection: dict[str, Any]
    summary: dict[str, object]


def compute(
    *,
    configurations: pl.DataFrame,
    grids: pl.DataFrame,
    results: pl.DataFrame,
    sweep_per_query: Frames,
    splits: pl.DataFrame,
    queries: pl.DataFrame,
    branch_manifests: Mapping[str, Mapping[str, Any]] | None = None,
    times: Iterable[Mapping[str, Any]],
    ledger: Sequence[Opening],
    depth_recall: pl.DataFrame | None = None,
    params: Params,
) -> Selection:
    """Freezes one configuration, and the comparators by the same rule.

    Args:
        configurations: CONFIGURATIONS.
        grids: GRIDS.
        results: RESULTS, for the measures it holds; the rule reads the values query by query.
        sweep_per_query: SWEEP_PER_QUERY, whole or in pieces.
        splits: SPLITS.
        queries: QUERIES: texts for the test set's hash, slices, answerable.
        branch_manifests: each branch's; times of other contract digests bar no point.
        times: lines of the times record, for a latency limit.
        ledger: the record of openings, for mode `keep`.
        depth_recall: DEPTH_RECALL; None: the depth was not chosen first.
        params: sections selection, sweep, fusion, candidates, decision, production, seed.

    Returns:
        `selection` with mode, measure, configuration (id, method, rank_constant, weights, depths,
        description), contract (whole), folds (crossfit: fold to configuration, chosen without
        it; else null), best_branch and best_convex (null without labels on dev), both
        `…_by_fold`, region, excluded, dev (value, best, out_of_bag, best_branch, best_convex),
        stability, reason, hashes (selection, test_set).

    Raises:
        MissingError: mode `keep` and nothing was opened on this test set.
        ParameterError: a measure that was not swept; a configuration that cannot be served.
        ContractError: as `Configuration`.
    """
    dev = read_dev(configurations, grids, results, sweep_per_query, splits, queries, params)
    slow = too_slow(times, branch_manifests or {}, params)
    recall = DEPTH_RECALL.empty() if depth_recall is None else depth_recall
    study = Study(dev, slow, test_set_hash(splits, queries), ledger, splits, recall, params)
    frozen = MODES[params.selection.mode](study)
    rivals = rivals_of(study)
    final, folds = rivals[None], {fold: rivals[fold] for fold in dev.held_out}
    verdict = frozen.verdict
    selection = {
        "mode": params.selection.mode,
        "measure": params.selection.measure,
        "configuration": mapping(frozen.configuration),
        "contract": frozen.configuration.contract(params.fusion).describe(),
        "folds": _by_fold({fold: mapping(one) for fold, one in frozen.by_fold.items()}),
        "best_branch": final.branch,
        "best_convex": _maybe(final.convex),
        "best_branch_by_fold": _by_fold({fold: one.branch for fold, one in folds.items()}),
        "best_convex_by_fold": _by_fold({fold: _maybe(one.convex) for fold, one in folds.items()}),
        "region": None if verdict is None else region(verdict, params),
        "excluded": None if verdict is None else excluded(verdict, study.slow),
        "dev": dev_values(study, frozen, final),
        "stability": frozen.stability,
        "reason": frozen.reason,
        "hashes": {"selection": _hash(frozen, splits, params), "test_set": study.test_set},
    }
    return Selection(selection, _summary(selection))


def _by_fold(chosen: Mapping[int, Any]) -> dict[str, Any] | None:
    return {str(fold): one for fold, one in sorted(chosen.items())} or None


def _maybe(configuration: Configuration | None) -> dict[str, Any] | None:
    return None if configuration is None else mapping(configuration)


def _hash(frozen: Frozen, splits: pl.DataFrame, params: Params) -> str:
    """Under crossfit the selection is the procedure, where a search made it."""
    fixed = mapping(frozen.configuration)
    own = selection_hash(
        {key: fixed[key] for key in ("method", "rank_constant", "weights", "depths")}, params
    )
    if not frozen.by_fold or params.selection.mode == "declared":
        return own
    searched = selection_hash(procedure(splits, params), params)
    kept = frozen.kept
    return searched if kept is None or kept.selection == searched else own


def _summary(selection: Mapping[str, Any]) -> dict[str, object]:
    dev = selection["dev"]
    named = {
        "selected": (selection["configuration"]["description"], dev["value"]),
        "best on dev": ((selection["region"] or {}).get("best"), dev["best"]),
        "best convex": ((selection["best_convex"] or {}).get("description"), dev["best_convex"]),
        "best branch": (selection["best_branch"], dev["best_branch"]),
    }
    return {
        "mode": selection["mode"],
        "configuration": selection["configuration"]["description"],
        "stability": selection["stability"],
        "reason": selection["reason"],
        "dev": dev["value"],
        "out_of_bag": dev["out_of_bag"],
        "table": {
            "columns": ["what", "configuration", selection["measure"]],
            "rows": [[what, one, value] for what, (one, value) in named.items() if one],
        },
    }
