"""The figures of one part that a one-screen reader wants, numbers at the leaves."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.evaluation.ablations import STARTING
from pipeline.evaluation.comparisons import rivals
from pipeline.evaluation.critical import Critical
from pipeline.evaluation.unanswerable import unanswerable_figures
from pipeline.evaluation.weighted import weighted_figures
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.query_states import count_states
from pipeline.systems import SELECTED
from pipeline.tables import BESIDE_INTERVAL, LOST_AT, POOL_STATUSES

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """One part with everything computed on it.

    Args:
        part: its queries and labels.
        runs: RUNS it was measured on.
        roles: system to role.
        systems: its rows of SYSTEMS.
        per_query: its rows of PER_QUERY.
        comparisons: its rows of COMPARISONS.
        complementarity: its rows of COMPLEMENTARITY.
        bounds: its rows of BOUNDS.
        equal_work: its rows of EQUAL_WORKS.
        branch_value: its rows of BRANCH_VALUE.
        agreement: its rows of AGREEMENT.
        traces: its rows of TRACES.
        diagnosis: its rows of DIAGNOSIS.
        critical: its rows of CRITICAL, and how they were found.
        pool_bias: its rows of POOL_BIAS.
        must_beat: the branches and the production run.
    """

    part: Part
    runs: pl.DataFrame
    roles: Mapping[str, str]
    systems: pl.DataFrame
    per_query: pl.DataFrame
    comparisons: pl.DataFrame
    complementarity: pl.DataFrame
    bounds: pl.DataFrame
    equal_work: pl.DataFrame
    branch_value: pl.DataFrame
    agreement: pl.DataFrame
    traces: pl.DataFrame
    diagnosis: pl.DataFrame
    critical: Critical
    pool_bias: pl.DataFrame
    must_beat: tuple[str, ...]


def part_figures(
    evaluated: Evaluated, documents: pl.DataFrame, pool: pl.DataFrame, params: Params
) -> Figures:
    """One part's figures on the primary measure.

    Args:
        evaluated: the part.
        documents: DOCUMENTS, to tell relevant evidence that no document carries.
        pool: POOL, to tell how much of the pooled evidence has a grade.
        params: primary measure, context depth, relevance threshold.

    Returns:
        `queries, groups`, one count per query state, `relevant`, `relevant_without_document`;
        `selected`; `baselines.NAME`: value, delta, low, high, wins, losses, ties, detectable;
        `bounds.NAME.VIEW`: delta, low, high; `critical`: see `Critical`;
        `weighted.NAME`: value, delta, low, high;
        `round_robin`: lowest and highest over the branches that may start it;
        `for_unanswerable.NAME`: see `unanswerable_figures`; `slices_left_out.NAME`: its
        queries; `pool.STATUS`: pairs; `missed.STAGE`: wanted evidence that the selected context
        lacks, by the stage that lost it.
    """
    part, measure = evaluated.part, params.selection.measure
    relevant = part.relevant(params.collection.rel)
    against = rivals(evaluated.roles) if SELECTED in evaluated.roles else []
    values = _values(evaluated, measure)
    return {
        "queries": part.queries.height,
        "groups": len(set(part.groups.values())),
        **count_states(part.states),
        "relevant": relevant.height,
        "relevant_without_document": relevant.join(documents, on="evidence_id", how="anti").height,
        "selected": values.get(SELECTED),
        "baselines": _baselines(evaluated.comparisons, values, measure),
        "bounds": _bounds(evaluated.bounds),
        "critical": dict(evaluated.critical.figures),
        "weighted": weighted_figures(evaluated.per_query, against, part, params),
        "round_robin": _range_of_starts(values),
        "for_unanswerable": _unanswerable(evaluated, params),
        "slices_left_out": dict(part.slices.left_out),
        "pool": _pool(pool.join(part.queries, on="query_id", how="semi")),
        "missed": _missed(evaluated.diagnosis),
    }


def _missed(diagnosis: pl.DataFrame) -> dict[str, int]:
    rows = diagnosis.filter((pl.col("system") == SELECTED) & (pl.col("against") == ""))
    counts = dict(rows.group_by("lost_at").len().rows())
    return {stage: counts[stage] for stage in LOST_AT if stage in counts}


def _values(evaluated: Evaluated, measure: str) -> dict[str, float | None]:
    rows = evaluated.systems.filter(pl.col("measure") == measure)
    return dict(rows.select("system", "value").iter_rows())


def _range_of_starts(values: Mapping[str, float | None]) -> dict[str, float]:
    starts = [
        value
        for system, value in values.items()
        if system.startswith(STARTING) and value is not None
    ]
    return {"lowest": min(starts), "highest": max(starts)} if starts else {}


def _baselines(
    comparisons: pl.DataFrame, values: Mapping[str, float | None], measure: str
) -> dict[str, Figures]:
    shown = (
        "delta",
        "low",
        "high",
        "wins",
        "losses",
        "ties",
        "detectable",
        *BESIDE_INTERVAL,
    )
    rows = comparisons.filter((pl.col("measure") == measure) & (pl.col("slice") == ""))
    return {
        row["baseline"]: {"value": values[row["baseline"]], **{name: row[name] for name in shown}}
        for row in rows.iter_rows(named=True)
    }


def _bounds(bounds: pl.DataFrame) -> dict[str, dict[str, Figures]]:
    found: dict[str, dict[str, Figures]] = {}
    for row in bounds.iter_rows(named=True):
        figures = {name: row[name] for name in ("delta", "low", "high")}
        found.setdefault(row["baseline"], {})[row["view"]] = figures
    return found


def _pool(pool: pl.DataFrame) -> dict[str, int]:
    counts = dict(pool.group_by("status").len().rows())
    return {status: counts.get(status, 0) for status in POOL_STATUSES}


def _unanswerable(evaluated: Evaluated, params: Params) -> dict[str, dict[str, float]]:
    shown = {
        system: unanswerable_figures(
            evaluated.runs.filter(pl.col("system") == system),
            evaluated.part,
            cutoff=params.context.depth,
            rel=params.collection.rel,
        )
        for system, role in sorted(evaluated.roles.items())
        if role in {"branch", "baseline", "comparator", "selected"}
    }
    return {system: figures for system, figures in shown.items() if figures}
