"""The sweep: every declared configuration, and the tuned comparators', on every query of dev."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.errors import key
from pipeline.fusion import Configuration, configurations_table
from pipeline.grid.bag import bag
from pipeline.grid.folds import Folds, fold_groups
from pipeline.grid.memory import GIGA, Load, refuse_large
from pipeline.grid.points import branch_grid, convex_grid, cut_depths, declared_grid, left_out
from pipeline.measures.names import parse_own_measure
from pipeline.params import Params
from pipeline.pieces import Pieces
from pipeline.sweep.depths import DepthRecall, axis
from pipeline.sweep.measuring import measure_grid
from pipeline.sweep.results import per_query_pieces, results_table, sensitivity_table
from pipeline.sweep.truth import Judged, judge_queries
from pipeline.tables import GRIDS

Grids = Mapping[str, Sequence[Configuration]]

SHOWN = 10

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What a sweep leaves behind.

    Args:
        configurations: CONFIGURATIONS, every point of every grid once.
        grids: GRIDS: `declared`; `convex`, the tuned comparator's with as many points; `branches`,
            each branch by itself. Under crossfit `NAME:fold-F` beside them where the depth chosen
            without fold F is another; under mode search `declared:depth-D` for every other depth
            that a bootstrap sample of the groups would choose.
        depth_recall: DEPTH_RECALL, by which the depth was chosen.
        results: RESULTS, over the queries of dev that enter ranking means; empty without any.
        per_query: SWEEP_PER_QUERY of the same, in pieces.
        sensitivity: the declared grid's values by axis, for `dvc plots`.
        summary: figures, among them the memory that it needs at most, and the best points.
    """

    configurations: pl.DataFrame
    grids: pl.DataFrame
    depth_recall: pl.DataFrame
    results: pl.DataFrame
    per_query: Pieces
    sensitivity: pl.DataFrame
    summary: dict[str, object]


def compute(
    *,
    splits: pl.DataFrame,
    dev_judgments: pl.DataFrame,
    candidates: pl.DataFrame,
    params: Params,
    queries: pl.DataFrame | None = None,
) -> Sweep:
    """Tries every configuration of the declared grid on dev and keeps every value.

    Args:
        splits: SPLITS; sides dev and crossfit are looked at.
        dev_judgments: DEV_JUDGMENTS; without any the value tables are empty.
        candidates: CANDIDATES.
        params: seed, sections sweep, fusion, candidates, collection.rel, selection.measure,
            selection.mode.
        queries: QUERIES, for `answerable` and `required_evidence`; without it every query counts
            as answerable and no evidence as required.

    Raises:
        ParameterError: fewer than two branches to fuse, a weight step that does not divide 1, a
            measure that is unknown or not computed here, a grid that needs more than
            `sweep.memory_gb`.
        ContractError: a method on scores meets a branch without.
    """
    judged = judge_queries(splits, dev_judgments, queries, rel=params.collection.rel)
    folds = fold_groups(splits, list(judged.queries))
    recall = DepthRecall.of(candidates, judged, params)
    grids = _grids(candidates, recall, folds, params)
    points = sorted({p.id: p for grid in grids.values() for p in grid}.items())
    configurations = [point for _, point in points]
    load = Load(
        points=len(configurations),
        queries=len(judged.queries),
        measures=len(swept_measures(params)),
        entries=candidates.height,
    )
    refuse_large(load, params)
    barred = _left_out(grids, params)
    for note in (*cut_depths(params), *barred):
        _log.warning("%s", note)
    results, per_query = _values(candidates, configurations, grids, judged, folds, params)
    declared = list(grids["declared"])
    return Sweep(
        configurations=configurations_table(configurations, branches=params.candidates),
        grids=_grids_table(grids),
        depth_recall=recall.table(),
        results=results,
        per_query=per_query,
        sensitivity=sensitivity_table(declared, results, params.fused_branches),
        summary=_summary(grids, results, judged, folds, params)
        | {"memory_gb": round(load.sweep_bytes() / GIGA, 2), "cut_depths": cut_depths(params)}
        | {"left_out": barred},
    )


def _left_out(grids: Grids, params: Params) -> list[str]:
    """What `sweep.target` cannot serve of the grid, in words; empty without a target."""
    deepest = max(depth for point in grids["declared"] for _, depth in point.depths)
    depths = params.sweep.depths if params.sweep.joint else [deepest]
    return [
        f"sweep.target: {params.sweep.target} cannot serve {points} points: {clause}"
        for clause, points in left_out(params, depths).items()
    ]


def swept_measures(params: Params) -> list[str]:
    """The measures of the sweep, selection's among them, each once.

    Raises:
        ParameterError: a name that is not a measure's; names the key.
    """
    with key("sweep.measures"):
        for name in params.sweep.measures:
            parse_own_measure(name)
    with key("selection.measure"):
        parse_own_measure(params.selection.measure)
    return list(dict.fromkeys([*params.sweep.measures, params.selection.measure]))


def _values(
    candidates: pl.DataFrame,
    configurations: Sequence[Configuration],
    grids: Grids,
    judged: Judged,
    folds: Folds,
    params: Params,
) -> tuple[pl.DataFrame, Pieces]:
    measures = swept_measures(params)
    values = measure_grid(
        candidates, configurations, judged, measures=measures, fusion=params.fusion
    )
    if not judged.queries:
        measures = []
    results = results_table(
        configurations,
        measures,
        values,
        declared=[point.id for point in grids["declared"]],
        grouping=folds.grouping,
    )
    return results, per_query_pieces(configurations, measures, judged.queries, values)


def _grids(
    candidates: pl.DataFrame, recall: DepthRecall, folds: Folds, params: Params
) -> dict[str, Sequence[Configuration]]:
    final, *held_out = recall.choose(folds.grouping, folds.weightings)
    scored = _branches_with_scores(candidates, params)
    grids: dict[str, Sequence[Configuration]] = {"branches": branch_grid(params)}
    wanted = {"": final}
    if not params.sweep.joint:
        chosen = zip(folds.held_out, held_out, strict=True)
        wanted |= {f":fold-{fold}": depth for fold, depth in chosen if depth != final}
    for suffix, depth in wanted.items():
        depths = axis(params, depth)
        declared = declared_grid(params, depths)
        grids[f"declared{suffix}"] = declared
        grids[f"convex{suffix}"] = convex_grid(params, scored, depths, len(declared))
    # Only a search repeats its rule on samples.
    if params.selection.mode != "search":
        return grids
    for depth in _depths_of_samples(recall, folds, params) - {final}:
        grids[f"declared:depth-{depth}"] = declared_grid(params, [depth])
    return grids


def _depths_of_samples(recall: DepthRecall, folds: Folds, params: Params) -> set[int]:
    """The depths that the bootstrap samples of selection choose, which repeats the rule there."""
    if len(recall.depths) == 1:
        return set()
    weightings = bag(params.seed, len(folds.grouping.counts))
    return set(recall.choose(folds.grouping, weightings))


def _branches_with_scores(candidates: pl.DataFrame, params: Params) -> list[str]:
    lacking = candidates.filter(pl.col("score").is_null())["branch"].unique().to_list()
    return [name for name in params.fused_branches if name not in lacking]


def _grids_table(grids: Grids) -> pl.DataFrame:
    rows = [(name, point.id) for name, points in grids.items() for point in points]
    return GRIDS.check(pl.DataFrame(rows, schema=dict(GRIDS.columns), orient="row"))


def _summary(
    grids: Grids, results: pl.DataFrame, judged: Judged, folds: Folds, params: Params
) -> dict[str, object]:
    described = {point.id: point.describe() for point in grids["declared"]}
    mine = results.filter(
        pl.col("measure") == params.selection.measure,
        pl.col("configuration").is_in(list(described)),
    ).sort("delta_to_best", "configuration", descending=[True, False])
    shown = mine.head(SHOWN).select("configuration", "value", "delta_to_best", "standard_error")
    return {
        "points": len(grids["declared"]),
        "comparator_points": len(grids["convex"]),
        "queries": len(judged.queries),
        "groups": len(folds.grouping.counts),
        "measure": params.selection.measure,
        "best": mine["value"].item(0) if mine.height else None,
        "tied": int(mine["tied"].sum()),
        "table": {
            "columns": ["configuration", "value", "delta_to_best", "standard_error"],
            "rows": [[described[name], *figures] for name, *figures in shown.rows()],
        },
    }
